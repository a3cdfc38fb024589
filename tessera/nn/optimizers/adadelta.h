// AdaDelta.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct AdaDeltaOptions {
  double rho = 0.9;
  double eps = 1e-6;
};

/// v = rho v + (1 - rho) g^2; d = sqrt((u + eps) / (v + eps)) g; u = rho u + (1 - rho) d^2;
/// w = w - rate d.   source  arXiv:1212.5701
class AdaDelta : public Optimizer {
 public:
  /// errors  invalid_argument unless rho >= 0 and eps > 0
  explicit AdaDelta(LearningRate learning_rate, const AdaDeltaOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  AdaDeltaOptions options_;
};

}  // namespace tessera::optimizers

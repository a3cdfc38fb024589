// RMSprop.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct RMSpropOptions {
  double alpha = 0.99;
  double eps = 1e-8;
};

/// v = alpha v + (1 - alpha) g^2; w = w - rate g / (sqrt(v) + eps)
/// source  T. Tieleman and G. Hinton, Neural networks for machine learning, lecture 6.5, 2012
class RMSprop : public Optimizer {
 public:
  /// errors  invalid_argument unless alpha >= 0 and eps > 0
  explicit RMSprop(LearningRate learning_rate, const RMSpropOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  RMSpropOptions options_;
};

}  // namespace tessera::optimizers

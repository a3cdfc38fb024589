// Lion.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct LionOptions {
  std::pair<double, double> betas = {0.9, 0.99};
  double weight_decay = 0.0;
};

/// c = b1 m + (1 - b1) g; m = b2 m + (1 - b2) g; w = w (1 - rate * weight_decay) - rate sign(c).
/// Rates are a tenth to a third of Adam's.   source  arXiv:2302.06675
class Lion : public Optimizer {
 public:
  /// errors  invalid_argument unless betas are in [0, 1)
  explicit Lion(LearningRate learning_rate, const LionOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  LionOptions options_;
};

}  // namespace tessera::optimizers

// Adagrad.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

/// v = v + g^2; w = w - rate g / (sqrt(v) + eps)
/// source  J. Duchi, E. Hazan and Y. Singer, JMLR 12, 2011
class Adagrad : public Optimizer {
 public:
  /// errors  invalid_argument unless eps > 0
  explicit Adagrad(LearningRate learning_rate, double eps = 1e-8);

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  double eps_;
};

}  // namespace tessera::optimizers

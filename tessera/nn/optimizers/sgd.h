// Stochastic gradient descent with momentum.
#pragma once

#include "tessera/nn/optimizers/optimizer.h"

namespace tessera::optimizers {

struct SGDOptions {
  double momentum = 0.0;
  double weight_decay = 0.0;  ///< times the parameter, added to the gradient
  double dampening = 0.0;     ///< the share of the gradient that the momentum leaves out
  bool nesterov = false;
};

/// v = momentum v + (1 - dampening) g; w = w - rate v
class SGD : public Optimizer {
 public:
  /// errors  invalid_argument for nesterov without momentum or with dampening
  explicit SGD(LearningRate learning_rate, const SGDOptions& options = {});

 protected:
  void init_single(const array& parameter, Slots& slots) const override;
  array apply_single(const array& gradient, const array& parameter, Slots& slots) const override;

 private:
  SGDOptions options_;
};

}  // namespace tessera::optimizers

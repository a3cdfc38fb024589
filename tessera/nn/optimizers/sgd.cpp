#include "tessera/nn/optimizers/sgd.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"

namespace tessera::optimizers {

SGD::SGD(LearningRate learning_rate, const SGDOptions& options)
    : Optimizer(std::move(learning_rate)), options_(options) {
  if (options.nesterov && (options.momentum <= 0 || options.dampening != 0)) {
    fail(ErrorCode::invalid_argument, "SGD", "nesterov needs a momentum and no dampening");
  }
}

void SGD::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"v"}, parameter);
}

array SGD::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const auto& [momentum, weight_decay, dampening, nesterov] = options_;
  array g = gradient;
  if (weight_decay != 0) g = g + weight_decay * parameter;
  if (momentum <= 0) return parameter - rate(g.dtype()) * g;
  array& v = slots.at("v");
  v = momentum * v + (dampening > 0 ? (1 - dampening) * g : g);
  return parameter - rate(g.dtype()) * (nesterov ? g + momentum * v : v);
}

}  // namespace tessera::optimizers

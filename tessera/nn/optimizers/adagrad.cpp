#include "tessera/nn/optimizers/adagrad.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"

namespace tessera::optimizers {

Adagrad::Adagrad(LearningRate learning_rate, double eps)
    : Optimizer(std::move(learning_rate)), eps_(eps) {
  if (!(eps > 0)) fail(ErrorCode::invalid_argument, "Adagrad", "needs eps > 0, got {}", eps);
}

void Adagrad::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"v"}, parameter);
}

array Adagrad::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  array& v = slots.at("v");
  v = v + square(gradient);
  return parameter - rate(gradient.dtype()) * gradient / (sqrt(v) + eps_);
}

}  // namespace tessera::optimizers

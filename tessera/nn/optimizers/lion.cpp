#include "tessera/nn/optimizers/lion.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"
#include "tessera/ops/rounding.h"

namespace tessera::optimizers {

Lion::Lion(LearningRate learning_rate, const LionOptions& options)
    : Optimizer(std::move(learning_rate)), options_(options) {
  const auto& [b1, b2] = options.betas;
  if (!(b1 >= 0 && b1 < 1 && b2 >= 0 && b2 < 1)) {
    fail(ErrorCode::invalid_argument, "Lion", "needs betas in [0, 1), got {} and {}", b1, b2);
  }
}

void Lion::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"m"}, parameter);
}

array Lion::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const auto& [b1, b2] = options_.betas;
  const array lr = rate(gradient.dtype());
  array& m = slots.at("m");
  const array direction = sign(moved(m, b1, gradient));
  m = moved(m, b2, gradient);
  const double decay = options_.weight_decay;
  return (decay > 0 ? (1 - lr * decay) * parameter : parameter) - lr * direction;
}

}  // namespace tessera::optimizers

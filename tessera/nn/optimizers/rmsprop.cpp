#include "tessera/nn/optimizers/rmsprop.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"

namespace tessera::optimizers {

RMSprop::RMSprop(LearningRate learning_rate, const RMSpropOptions& options)
    : Optimizer(std::move(learning_rate)), options_(options) {
  if (!(options.alpha >= 0) || !(options.eps > 0)) {
    fail(ErrorCode::invalid_argument, "RMSprop", "needs alpha >= 0 and eps > 0, got {} and {}",
         options.alpha, options.eps);
  }
}

void RMSprop::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"v"}, parameter);
}

array RMSprop::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  array& v = slots.at("v");
  v = moved(v, options_.alpha, square(gradient));
  return parameter - rate(gradient.dtype()) * gradient / (sqrt(v) + options_.eps);
}

}  // namespace tessera::optimizers

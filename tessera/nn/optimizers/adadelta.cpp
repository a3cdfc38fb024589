#include "tessera/nn/optimizers/adadelta.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"

namespace tessera::optimizers {

AdaDelta::AdaDelta(LearningRate learning_rate, const AdaDeltaOptions& options)
    : Optimizer(std::move(learning_rate)), options_(options) {
  if (!(options.rho >= 0) || !(options.eps > 0)) {
    fail(ErrorCode::invalid_argument, "AdaDelta", "needs rho >= 0 and eps > 0, got {} and {}",
         options.rho, options.eps);
  }
}

void AdaDelta::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"v", "u"}, parameter);
}

array AdaDelta::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const auto& [rho, eps] = options_;
  array& v = slots.at("v");
  array& u = slots.at("u");
  v = moved(v, rho, square(gradient));
  const array d = sqrt(u + eps) / sqrt(v + eps) * gradient;
  u = moved(u, rho, square(d));
  return parameter - rate(gradient.dtype()) * d;
}

}  // namespace tessera::optimizers

#include "tessera/nn/optimizers/adam.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"

namespace tessera::optimizers {

namespace {

// 1 - beta^step in float32: what an average of that many steps has of its weight.
array weight_of(double beta, const array& step) {
  return 1.0 - power(array(static_cast<float>(beta)), astype(step, float32));
}

}  // namespace

Adam::Adam(LearningRate learning_rate, const AdamOptions& options)
    : Optimizer(std::move(learning_rate)), options_(options) {
  const auto& [b1, b2] = options.betas;
  if (!(b1 >= 0 && b1 < 1 && b2 >= 0 && b2 < 1 && options.eps >= 0)) {
    fail(ErrorCode::invalid_argument, "Adam",
         "needs betas in [0, 1) and eps >= 0, got {}, {} and {}", b1, b2, options.eps);
  }
}

void Adam::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"m", "v"}, parameter);
}

array Adam::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const auto& [b1, b2] = options_.betas;
  array& m = slots.at("m");
  array& v = slots.at("v");
  m = moved(m, b1, gradient);
  v = moved(v, b2, square(gradient));
  const array lr = rate(gradient.dtype());
  if (!options_.bias_correction) return parameter - lr * m / (sqrt(v) + options_.eps);
  const array c1 = astype(lr / weight_of(b1, step()), gradient.dtype());
  const array c2 = astype(rsqrt(weight_of(b2, step())), gradient.dtype());
  return parameter - c1 * m / (sqrt(v) * c2 + options_.eps);
}

AdamW::AdamW(LearningRate learning_rate, const AdamWOptions& options)
    : Adam(std::move(learning_rate), {options.betas, options.eps, options.bias_correction}),
      weight_decay_(options.weight_decay) {}

array AdamW::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const array kept = 1 - rate(gradient.dtype()) * weight_decay_;
  return Adam::apply_single(gradient, parameter * kept, slots);
}

Adamax::Adamax(LearningRate learning_rate, const AdamaxOptions& options)
    : Adam(std::move(learning_rate), {options.betas, options.eps, false}) {}

array Adamax::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const auto& [b1, b2] = options().betas;
  array& m = slots.at("m");
  array& v = slots.at("v");
  m = moved(m, b1, gradient);
  v = maximum(b2 * v, abs(gradient));
  return parameter - rate(gradient.dtype()) * m / (v + options().eps);
}

}  // namespace tessera::optimizers

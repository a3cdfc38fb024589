#include "tessera/nn/optimizers/adafactor.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/optimizers/internal/slots.h"
#include "tessera/ops/shape.h"

namespace tessera::optimizers {

namespace {

array root_mean_square(const array& x) {
  return sqrt(mean(square(x)));
}

array moved(const array& average, const array& decay, const array& fresh) {
  return decay * average + (1 - decay) * fresh;
}

array float_step(const array& step) {
  return astype(step, float32);
}

}  // namespace

Adafactor::Adafactor(const AdafactorOptions& options)
    : Optimizer(options.learning_rate.value_or(LearningRate(0.0))), options_(options) {
  if (!options.relative_step && !options.learning_rate) {
    fail(ErrorCode::invalid_argument, "Adafactor",
         "needs a learning rate when relative_step is off");
  }
}

void Adafactor::init_single(const array& parameter, Slots& slots) const {
  if (parameter.ndim() >= 2) {
    Shape row(parameter.shape().begin(), parameter.shape().end() - 1);
    Shape column(parameter.shape().begin(), parameter.shape().end() - 2);
    column.push_back(parameter.shape(-1));
    slots.insert_or_assign("exp_avg_sq_row", zeros(row, parameter.dtype()));
    slots.insert_or_assign("exp_avg_sq_col", zeros(column, parameter.dtype()));
  } else {
    start_at_zero(slots, {"exp_avg_sq"}, parameter);
  }
  if (options_.beta_1) start_at_zero(slots, {"exp_avg"}, parameter);
}

array Adafactor::learning_rate_for(const array& parameter_rms) const {
  const Dtype dtype = parameter_rms.dtype();
  array step_size = rate(dtype);
  if (options_.relative_step) {
    const array t = float_step(step());
    const array least = options_.warmup_init ? 1e-6 * t : array(1e-2f);
    step_size = astype(minimum(least, rsqrt(t)), dtype);
  }
  if (!options_.scale_parameter) return step_size;
  return maximum(nn::weak(options_.eps.second, parameter_rms), parameter_rms) * step_size;
}

// The gradient over the root of its second moment.
array Adafactor::normalized(const array& gradient, Slots& slots, const array& beta_2) const {
  const array squares = square(gradient) + options_.eps.first;
  if (gradient.ndim() < 2) {
    array& average = slots.at("exp_avg_sq");
    average = moved(average, beta_2, squares);
    return rsqrt(average) * gradient;
  }
  array& row = slots.at("exp_avg_sq_row");
  array& column = slots.at("exp_avg_sq_col");
  row = moved(row, beta_2, mean(squares, -1));
  column = moved(column, beta_2, mean(squares, -2));
  const array row_factor = rsqrt(row / mean(row, -1, true));
  return expand_dims(row_factor, -1) * expand_dims(rsqrt(column), -2) * gradient;
}

array Adafactor::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const array parameter_rms = root_mean_square(parameter);
  const array lr = learning_rate_for(parameter_rms);
  const array beta_2 =
      astype(1.0 - nn::raised_to(float_step(step()), options_.decay_rate), parameter_rms.dtype());
  array update = normalized(gradient, slots, beta_2);
  const array excess = root_mean_square(update) / options_.clip_threshold;
  update = lr * (update / maximum(nn::weak(1.0, excess), excess));
  if (options_.beta_1) {
    array& average = slots.at("exp_avg");
    average = moved(average, *options_.beta_1, update);
    update = average;
  }
  const double decay = options_.weight_decay;
  return (decay != 0 ? parameter + parameter * (-decay * lr) : parameter) - update;
}

}  // namespace tessera::optimizers

#include "tessera/nn/optimizers/schedulers.h"

#include <numbers>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/rounding.h"
#include "tessera/ops/unary.h"

namespace tessera::optimizers {

namespace {

int at_least_one(const char* where, const char* what, int steps) {
  if (steps < 1) fail(ErrorCode::invalid_argument, where, "{} {} < 1", what, steps);
  return steps;
}

array power_of(double base, const array& exponent) {
  return power(array(static_cast<float>(base)), astype(exponent, float32));
}

array at_most(const array& step, int limit) {
  return minimum(step, array(limit, step.dtype()));
}

}  // namespace

Schedule exponential_decay(double init, double decay_rate) {
  return [=](const array& step) { return init * power_of(decay_rate, step); };
}

Schedule step_decay(double init, double decay_rate, int step_size) {
  at_least_one("step_decay", "step_size", step_size);
  return [=](const array& step) {
    return init * power_of(decay_rate, floor_divide(step, array(step_size, step.dtype())));
  };
}

Schedule cosine_decay(double init, int decay_steps, double end) {
  at_least_one("cosine_decay", "decay_steps", decay_steps);
  return [=](const array& step) {
    const array turned = (std::numbers::pi / decay_steps) * at_most(step, decay_steps);
    return end + 0.5 * (1.0 + cos(turned)) * (init - end);
  };
}

Schedule linear_schedule(double init, double end, int steps) {
  at_least_one("linear_schedule", "steps", steps);
  return [=](const array& step) { return at_most(step, steps) * ((end - init) / steps) + init; };
}

Schedule join_schedules(std::vector<Schedule> schedules, std::vector<int> boundaries) {
  if (schedules.empty() || schedules.size() != boundaries.size() + 1) {
    fail(ErrorCode::invalid_argument, "join_schedules", "{} schedules need {} boundaries, got {}",
         schedules.size(), schedules.empty() ? 0 : schedules.size() - 1, boundaries.size());
  }
  return [schedules = std::move(schedules), boundaries = std::move(boundaries)](const array& step) {
    array out = schedules[0](step);
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
      const array boundary(boundaries[i], step.dtype());
      out = where(step < boundary, out, schedules[i + 1](step - boundary));
    }
    return out;
  };
}

}  // namespace tessera::optimizers

// Schedules: learning rates as functions of the step.
//
//   auto rate = optimizers::join_schedules({optimizers::linear_schedule(0, 1e-3, 100),
//                                           optimizers::cosine_decay(1e-3, 1000)}, {100});
//   optimizers::AdamW optimizer(rate);
#pragma once

#include <functional>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera::optimizers {

/// From the number of steps taken, an integer scalar, to a scalar.
using Schedule = std::function<array(const array& step)>;

/// init * decay_rate^step
Schedule exponential_decay(double init, double decay_rate);
/// init * decay_rate^(step / step_size), rounded down.   errors  invalid_argument for step_size < 1
Schedule step_decay(double init, double decay_rate, int step_size);
/// From init to end along half a cosine, then end.   errors  invalid_argument for decay_steps < 1
/// source  arXiv:1608.03983, without restarts
Schedule cosine_decay(double init, int decay_steps, double end = 0.0);
/// From init to end along a line, then end.   errors  invalid_argument for steps < 1
Schedule linear_schedule(double init, double end, int steps);
/// Schedule i + 1 takes over at step boundaries[i], and counts from there.
/// errors  invalid_argument unless there is one boundary fewer than schedules
Schedule join_schedules(std::vector<Schedule> schedules, std::vector<int> boundaries);

}  // namespace tessera::optimizers

// Evenly spaced numbers: linspace, and arange with its other argument lists.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ops/creation.h"

namespace tessera {

/// float32 without a dtype.   errors  as arange(start, stop, step, dtype)
array arange(double start, double stop, double step);
array arange(double start, double stop);
array arange(double stop, Dtype dtype);
array arange(double stop);

/// num values from start to stop, or to one step before it; computed in float32, then cast.
/// errors  invalid_argument for a negative num
array linspace(double start, double stop, int num, bool endpoint, Dtype dtype = float32);
array linspace(double start, double stop, int num = 50, Dtype dtype = float32);

}  // namespace tessera

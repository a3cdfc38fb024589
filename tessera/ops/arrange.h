// Arrays repeated, rotated, taken apart, and brought to a common shape.
#pragma once

#include <string>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ops/index.h"
#include "tessera/ops/shape.h"

namespace tessera {

/// Every element `repeats` times in a row, along an axis or flattened.   errors  invalid_argument
array repeat(const array& arr, int repeats, int axis);
array repeat(const array& arr, int repeats);
/// The whole array reps[i] times along axis i; the shorter of shape and reps gets leading ones.
/// errors  invalid_argument for a negative number
array tile(const array& arr, const std::vector<int>& reps);

/// Elements moved on by `shift` places, those past the end to the front: flattened, along an axis,
/// along several. Several shifts without axes are added up.   errors  invalid_argument
array roll(const array& a, int shift);
array roll(const array& a, const Shape& shift);
array roll(const array& a, int shift, int axis);
array roll(const array& a, int shift, const std::vector<int>& axes);
array roll(const array& a, const Shape& shift, int axis);
array roll(const array& a, const Shape& shift, const std::vector<int>& axes);

/// Parts before, between and after `indices` along an axis; negative ones count from the end, those
/// out of range are clamped, and a part may be empty.   errors  invalid_argument
std::vector<array> split(const array& a, const Shape& indices, int axis = 0);
/// One array per place of an axis, without it.   errors  invalid_argument
std::vector<array> unstack(const array& a, int axis = 0);

/// One place of an axis, without it; one element of the flattened array. Negative indices count
/// from the end.   errors  invalid_argument when out of range
array take(const array& a, int index, int axis);
array take(const array& a, int index);

/// All of their common shape.   errors  shape_mismatch
std::vector<array> broadcast_arrays(const std::vector<array>& inputs);
/// Coordinates of a grid: each input flattened along an axis of its own and, unless sparse,
/// repeated along the others. indexing: "ij" in order, "xy" with the first two axes swapped.
/// errors  invalid_argument
std::vector<array> meshgrid(const std::vector<array>& arrays, bool sparse = false,
                            const std::string& indexing = "xy");

/// Differences of neighbours along an axis, n times; of bool, whether they differ.
/// errors  invalid_argument for a negative n
array diff(const array& a, int n = 1, int axis = -1);

}  // namespace tessera

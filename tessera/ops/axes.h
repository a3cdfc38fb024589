// Axes added, dropped, joined, cut, moved and reversed.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ops/shape.h"

namespace tessera {

/// Without the axes, which must be of size 1, or without all that are.
/// errors  invalid_argument for an axis of another size, out of range or given twice
array squeeze(const array& a, const std::vector<int>& axes);
array squeeze(const array& a);
/// Axes of size 1 at these places of the result.   errors  invalid_argument
array expand_dims(const array& a, const std::vector<int>& axes);

/// The axes from start to end as one, the whole array as one; bounds out of range are clamped.
/// errors  invalid_argument when start is after end
array flatten(const array& a, int start_axis, int end_axis = -1);
array flatten(const array& a);
/// An axis as several, one size of which may be -1.   errors  shape_mismatch, invalid_argument
array unflatten(const array& a, int axis, const Shape& shape);

/// errors  invalid_argument
array moveaxis(const array& a, int source, int destination);
/// The last two axes swapped.   errors  shape_mismatch below rank 2
array matrix_transpose(const array& a);

/// Elements in reverse order along axes, or along all.   errors  invalid_argument
array flip(const array& a, const std::vector<int>& axes);
array flip(const array& a, int axis);
array flip(const array& a);

/// With axes of size 1 until the rank is at least 1, 2 or 3: a vector [N] becomes [1, N] and
/// [1, N, 1], a matrix [M, N] becomes [M, N, 1].
array atleast_1d(const array& a);
array atleast_2d(const array& a);
array atleast_3d(const array& a);
std::vector<array> atleast_1d(const std::vector<array>& arrays);
std::vector<array> atleast_2d(const std::vector<array>& arrays);
std::vector<array> atleast_3d(const std::vector<array>& arrays);

}  // namespace tessera

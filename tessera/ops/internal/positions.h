// Index arrays: what they must be, and where their elements and slices lie in a flattened array.
#pragma once

#include <span>
#include <vector>

#include "tessera/core/shape.h"
#include "tessera/ir/array.h"

namespace tessera::detail {

/// 0, 1, 2, ... as int64, without arange()'s limit. backend: nullptr takes the current one.
array count_up(ShapeElem count, const BackendPtr& backend = nullptr);

/// errors  unsupported_dtype unless integers
void check_indices(const char* op, const array& indices);

/// Each axis of `a` at most once, non-negative.   errors  invalid_argument
InlineVector<int, 6> distinct_axes(const char* op, const std::vector<int>& axes, const array& a);

/// All of their common shape.   errors  shape_mismatch, invalid_argument unless as many as axes
std::vector<array> broadcast_indices(const char* op, const std::vector<array>& indices,
                                     std::size_t axes);

/// Checks an index array for each of `axes`, all of one shape, and a slice of `a` that starts
/// there. returns  the index arrays' shape, [] without any errors   shape_mismatch,
/// unsupported_dtype
Shape check_slices(const char* op, const array& a, std::span<const array> indices,
                   const Shape& slice_sizes);

/// Where the elements of those slices lie in a flattened array of `shape`: int64
/// [index shape..., slice_sizes...]. A slice that leaves the array is an error when it runs.
array slice_positions(const Shape& shape, std::span<const array> indices,
                      const InlineVector<int, 6>& axes, const Shape& slice_sizes);

/// Where [.., indices[.., i, ..], ..] lies, for indices that equal `shape` off the axis: int64.
array axis_positions(const Shape& shape, const array& indices, int axis);

}  // namespace tessera::detail

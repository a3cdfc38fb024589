// Slices whose place is an array: known when the graph runs, not when it is built.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ops/shape.h"

namespace tessera {

/// start       one integer for each of `axes` (rank 0 or 1); 0 on other axes; negative ones count
///             from the end
/// slice_size  one size per axis of a
/// A slice that leaves the array is an error when it runs (MLX reads past the end).
/// errors      invalid_argument, shape_mismatch, unsupported_dtype
array slice(const array& a, const array& start, const std::vector<int>& axes,
            const Shape& slice_size);
/// src with `update`, which has src's rank or broadcasts to it and is cast to its dtype, written
/// over a slice of update's shape.
array slice_update(const array& src, const array& update, const array& start,
                   const std::vector<int>& axes);

// Lists in braces are places, not arrays.
inline array slice(const array& a, std::initializer_list<ShapeElem> start, Shape stop,
                   Shape strides) {
  return slice(a, Shape(start), std::move(stop), std::move(strides));
}
inline array slice_update(const array& src, const array& update,
                          std::initializer_list<ShapeElem> start, Shape stop) {
  return slice_update(src, update, Shape(start), std::move(stop));
}

/// Elements of a where mask (bool, a's shape or its first axes) is true replaced by the elements of
/// src in order; a scalar src replaces all.
/// errors  shape_mismatch, unsupported_dtype; invalid_argument when it runs and src has too few
array masked_scatter(const array& a, const array& mask, const array& src);

/// Element [i, j, ...] is element offset + i * strides[0] + j * strides[1] + ... of a in row-major
/// order.   errors  invalid_argument when that leaves a (MLX reads past the end)
array as_strided(const array& a, const Shape& shape, const Strides& strides, std::size_t offset);

/// How many elements a has along axes, a scalar; one over that when inverted.
array number_of_elements(const array& a, const std::vector<int>& axes, bool inverted,
                         Dtype dtype = int32);

}  // namespace tessera

#include "tessera/ops/internal/positions.h"

#include <algorithm>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera::detail {

namespace {

// Indices as int64 in [0, size - slice], negative ones counted from the end. The take changes
// nothing but refuses what is outside, as its kernel does on every backend.
array checked(const array& indices, ShapeElem size, ShapeElem slice) {
  const ShapeElem places = size - slice + 1;
  const array given = astype(indices, int64);
  const bool from_end = issubdtype(indices.dtype(), Dtype::Category::signedinteger);
  const array counted = from_end ? where(given < 0, given + size, given) : given;
  const array outside = scalar(static_cast<double>(places), int64, indices.backend());
  return take(count_up(places), where(counted < 0, outside, counted), 0);
}

// 0, stride, 2 * stride, ... along one axis of `rank`.
array steps(ShapeElem count, std::int64_t stride, std::size_t rank, std::size_t axis) {
  Shape shape(rank, 1);
  shape[axis] = count;
  return reshape(count_up(count) * stride, shape);
}

}  // namespace

array count_up(ShapeElem count, const BackendPtr& backend) {
  return apply(Arange{0, 1, count, int64}, {}, backend);
}

void check_indices(const char* op, const array& indices) {
  if (!is_integer(indices.dtype())) {
    fail(ErrorCode::unsupported_dtype, op, "indices must be integers, got {}", describe(indices));
  }
}

InlineVector<int, 6> distinct_axes(const char* op, const std::vector<int>& axes, const array& a) {
  InlineVector<int, 6> out;
  for (int axis : axes) {
    const int at = normalize_axis(axis, a.ndim(), op);
    if (std::find(out.begin(), out.end(), at) != out.end()) {
      fail(ErrorCode::invalid_argument, op, "axis {} appears twice", axis);
    }
    out.push_back(at);
  }
  return out;
}

std::vector<array> broadcast_indices(const char* op, const std::vector<array>& indices,
                                     std::size_t axes) {
  if (indices.size() != axes) {
    fail(ErrorCode::invalid_argument, op, "{} index arrays for {} axes", indices.size(), axes);
  }
  Shape shape;
  for (const array& index : indices) shape = broadcast_shapes(shape, index.shape(), op);
  std::vector<array> out;
  for (const array& index : indices) out.push_back(broadcast_to(index, shape));
  return out;
}

Shape check_slices(const char* op, const array& a, std::span<const array> indices,
                   const Shape& slice_sizes) {
  bool fits = slice_sizes.size() == a.ndim();
  for (std::size_t i = 0; fits && i < a.ndim(); ++i) {
    fits = slice_sizes[i] >= 0 && slice_sizes[i] <= a.shape()[i];
  }
  if (!fits) {
    fail(ErrorCode::shape_mismatch, op, "a slice {} is not part of {}", to_string(slice_sizes),
         describe(a));
  }
  Shape shape;
  if (!indices.empty()) shape = indices[0].shape();
  for (const array& index : indices) {
    check_indices(op, index);
    if (index.shape() != shape) {
      fail(ErrorCode::shape_mismatch, op, "index arrays of shapes {} and {}", to_string(shape),
           to_string(index.shape()));
    }
  }
  return shape;
}

array slice_positions(const Shape& shape, std::span<const array> indices,
                      const InlineVector<int, 6>& axes, const Shape& slice_sizes) {
  const Strides strides = row_major_strides(shape);
  Shape out, starts;
  if (!indices.empty()) out = starts = indices[0].shape();
  const std::size_t lead = out.size();
  for (ShapeElem size : slice_sizes) {
    out.push_back(size);
    starts.push_back(1);
  }
  array place = zeros(starts, int64);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const int axis = axes[k];
    const array start = checked(indices[k], shape[axis], slice_sizes[axis]);
    place = place + reshape(start * strides[axis], starts);
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    place = place + steps(slice_sizes[i], strides[i], out.size(), lead + i);
  }
  return broadcast_to(place, out);
}

array axis_positions(const Shape& shape, const array& indices, int axis) {
  const Strides strides = row_major_strides(shape);
  array place = checked(indices, shape[axis], 1) * strides[axis];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<int>(i) == axis) continue;
    place = place + steps(shape[i], strides[i], shape.size(), i);
  }
  return place;
}

}  // namespace tessera::detail

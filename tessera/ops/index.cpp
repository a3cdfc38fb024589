#include "tessera/ops/index.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/shape.h"

namespace tessera {

TensorSpec Take::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  detail::check_indices(kName, in[1]);
  const Shape& from = in[0].shape();
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(from[i]);
  for (ShapeElem n : in[1].shape()) out.push_back(n);
  for (std::size_t i = axis + 1; i < from.size(); ++i) out.push_back(from[i]);
  return {out, in[0].dtype()};
}

TensorSpec TakeAlongAxis::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  detail::check_indices(kName, in[1]);
  Shape like = in[0].shape();
  if (like.size() == in[1].ndim()) like[axis] = in[1].shape()[axis];
  if (in[1].shape() != like) {
    fail(ErrorCode::shape_mismatch, kName, "indices {} must equal {} off axis {}",
         detail::describe(in[1]), detail::describe(in[0]), axis);
  }
  return {like, in[0].dtype()};
}

std::vector<array> TakeAlongAxis::lower(std::span<const array> in) const {
  return {take(in[0], detail::axis_positions(in[0].shape(), in[1], axis))};
}

TensorSpec Gather::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1 + axes.size(), 1 + axes.size());
  Shape out = detail::check_slices(kName, in[0], in.subspan(1), slice_sizes);
  for (ShapeElem size : slice_sizes) out.push_back(size);
  return {out, in[0].dtype()};
}

std::vector<array> Gather::lower(std::span<const array> in) const {
  return {take(in[0], detail::slice_positions(in[0].shape(), in.subspan(1), axes, slice_sizes))};
}

TensorSpec Select::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 3, 3);
  if (in[0].dtype() != bool_ || in[1].dtype() != in[2].dtype()) {
    fail(ErrorCode::unsupported_dtype, kName, "needs bool and two equal dtypes, got {}, {}, {}",
         detail::describe(in[0]), detail::describe(in[1]), detail::describe(in[2]));
  }
  const Shape xy = broadcast_shapes(in[1].shape(), in[2].shape(), kName);
  return {broadcast_shapes(in[0].shape(), xy, kName), in[1].dtype()};
}

array take(const array& a, const array& indices, int axis) {
  return apply(Take{normalize_axis(axis, a.ndim(), "take")}, {a, indices});
}

array take(const array& a, const array& indices) {
  return take(reshape(a, {a.size()}), indices, 0);
}

array take_along_axis(const array& a, const array& indices, int axis) {
  if (a.ndim() != indices.ndim()) {
    fail(ErrorCode::shape_mismatch, "take_along_axis", "indices {} need the rank of {}",
         detail::describe(indices), detail::describe(a));
  }
  const int at = normalize_axis(axis, a.ndim(), "take_along_axis");
  Shape from = a.shape();
  Shape to = indices.shape();
  from[at] = to[at] = 1;
  from = to = broadcast_shapes(from, to, "take_along_axis");
  from[at] = a.shape()[at];
  to[at] = indices.shape()[at];
  return apply(TakeAlongAxis{at}, {broadcast_to(a, from), broadcast_to(indices, to)});
}

array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes,
             const Shape& slice_sizes) {
  Gather op{detail::distinct_axes("gather", axes, a), slice_sizes};
  std::vector<array> in{a};
  for (array& index : detail::broadcast_indices("gather", indices, axes.size()))
    in.push_back(std::move(index));
  return apply(std::move(op), std::move(in));
}
array gather(const array& a, const array& indices, int axis, const Shape& slice_sizes) {
  return gather(a, std::vector<array>{indices}, std::vector<int>{axis}, slice_sizes);
}

array where(const array& condition, const array& x, const array& y) {
  const Dtype dtype = promote_types(x.dtype(), y.dtype());
  return apply(Select{}, {astype(condition, bool_), astype(x, dtype), astype(y, dtype)});
}

}  // namespace tessera

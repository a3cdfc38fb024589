#include "tessera/ops/index.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {
void check_indices(const char* op, const array& indices) {
  if (!is_integer(indices.dtype())) {
    fail(ErrorCode::unsupported_dtype, op, "indices must be integers, got {}",
         detail::describe(indices));
  }
}
}  // namespace

TensorSpec Take::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  check_indices(kName, in[1]);
  const Shape& from = in[0].shape();
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(from[i]);
  for (ShapeElem n : in[1].shape()) out.push_back(n);
  for (std::size_t i = axis + 1; i < from.size(); ++i) out.push_back(from[i]);
  return {out, in[0].dtype()};
}

TensorSpec TakeAlongAxis::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  check_indices(kName, in[1]);
  Shape like = in[0].shape();
  if (like.size() == in[1].ndim()) like[axis] = in[1].shape()[axis];
  if (in[1].shape() != like) {
    fail(ErrorCode::shape_mismatch, kName, "indices {} must equal {} off axis {}",
         detail::describe(in[1]), detail::describe(in[0]), axis);
  }
  return {like, in[0].dtype()};
}

// The element's place in the flattened input; an index out of range gets a place past its end.
std::vector<array> TakeAlongAxis::lower(std::span<const array> in) const {
  const Shape& shape = in[0].shape();
  const ShapeElem length = shape[axis];
  const array index = astype(in[1], int64);
  array place = where(index < 0, index + length, index);
  place = where(logical_and(place >= 0, place < length), place, array(in[0].size(), int64));
  const Strides strides = row_major_strides(shape);
  place = place * strides[axis];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<int>(i) == axis) continue;
    Shape along(shape.size(), 1);
    along[i] = shape[i];
    place = place + reshape(arange(0.0, double(shape[i]), int64) * strides[i], along);
  }
  return {take(in[0], place)};
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

array where(const array& condition, const array& x, const array& y) {
  const Dtype dtype = promote_types(x.dtype(), y.dtype());
  return apply(Select{}, {astype(condition, bool_), astype(x, dtype), astype(y, dtype)});
}

}  // namespace tessera

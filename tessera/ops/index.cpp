#include "tessera/ops/index.h"

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

TensorSpec Take::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  if (!is_integer(in[1].dtype())) {
    fail(ErrorCode::unsupported_dtype, kName, "indices must be integers, got {}",
         detail::describe(in[1]));
  }
  const Shape& from = in[0].shape();
  Shape out;
  for (int i = 0; i < axis; ++i) out.push_back(from[i]);
  for (ShapeElem n : in[1].shape()) out.push_back(n);
  for (std::size_t i = axis + 1; i < from.size(); ++i) out.push_back(from[i]);
  return {out, in[0].dtype()};
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

array where(const array& condition, const array& x, const array& y) {
  const Dtype dtype = promote_types(x.dtype(), y.dtype());
  return apply(Select{}, {astype(condition, bool_), astype(x, dtype), astype(y, dtype)});
}

}  // namespace tessera

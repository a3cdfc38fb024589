#include "tessera/ops/scan.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

// Along `axis`, everything moved on by `distance`, zeros in its place (backwards when reversed).
array shifted(const array& x, int axis, ShapeElem distance, bool reverse) {
  Shape start(x.ndim(), 0);
  Shape stop = x.shape();
  (reverse ? start : stop)[axis] += reverse ? distance : -distance;
  const array kept = slice(x, start, stop);
  Shape gap = x.shape();
  gap[axis] = distance;
  const array nothing = full(gap, detail::scalar(0, x.dtype(), x.backend()));
  return reverse ? concatenate({kept, nothing}, axis) : concatenate({nothing, kept}, axis);
}

}  // namespace

TensorSpec CumSum::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  if (in[0].dtype() == bool_) {
    fail(ErrorCode::unsupported_dtype, kName, "bool has no sum; cast {} to int32",
         detail::describe(in[0]));
  }
  return {in[0].shape(), in[0].dtype()};
}

// Doubling: after step k each element is the sum of the 2^k up to it.
std::vector<array> CumSum::lower(std::span<const array> in) const {
  const ShapeElem length = in[0].shape()[axis];
  if (in[0].size() == 0) return {in[0]};
  const bool half = is_floating(in[0].dtype()) && in[0].dtype().size() < 4;
  array x = half ? astype(in[0], float32) : in[0];
  if (!inclusive) x = shifted(x, axis, 1, reverse);
  for (ShapeElem distance = 1; distance < length; distance *= 2) {
    x = x + shifted(x, axis, distance, reverse);
  }
  return {astype(x, in[0].dtype())};
}

array cumsum(const array& a, int axis, bool reverse, bool inclusive) {
  const int at = normalize_axis(axis, a.ndim(), "cumsum");
  return apply(CumSum{at, reverse, inclusive}, {a.dtype() == bool_ ? astype(a, int32) : a});
}
array cumsum(const array& a, bool reverse, bool inclusive) {
  return cumsum(reshape(a, {a.size()}), 0, reverse, inclusive);
}

}  // namespace tessera

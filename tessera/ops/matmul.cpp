#include "tessera/ops/matmul.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

TensorSpec Matmul::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  for (const array& a : in) {
    detail::check_floating(kName, a);
    detail::check_rank(kName, a, 2);
  }
  if (in[0].dtype() != in[1].dtype()) {
    fail(ErrorCode::unsupported_dtype, kName, "dtypes differ: {} and {}", detail::describe(in[0]),
         detail::describe(in[1]));
  }
  const ShapeElem k1 = in[0].shape(-1);
  const ShapeElem k2 = in[1].shape(-2);
  if (k1 != k2) {
    fail(ErrorCode::shape_mismatch, kName,
         "inner sizes differ, a {} x b {} ({} vs {}); transpose b?", to_string(in[0].shape()),
         to_string(in[1].shape()), k1, k2);
  }
  const Shape batch_a(in[0].shape().begin(), in[0].shape().end() - 2);
  const Shape batch_b(in[1].shape().begin(), in[1].shape().end() - 2);
  Shape out = broadcast_shapes(batch_a, batch_b, kName);
  out.push_back(in[0].shape(-2));
  out.push_back(in[1].shape(-1));
  return {out, in[0].dtype()};
}

TensorSpec Linear::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 3);
  const array& x = in[0];
  const array& w = in[1];
  detail::check_floating(kName, x);
  detail::check_floating(kName, w);
  detail::check_rank(kName, x, 1);
  if (w.ndim() != 2 || w.shape(1) != x.shape(-1)) {
    fail(ErrorCode::shape_mismatch, kName, "x {} needs a weight [N, {}], got {}",
         to_string(x.shape()), x.shape(-1), detail::describe(w));
  }
  if (in.size() == 3 && in[2].shape() != Shape{w.shape(0)}) {
    fail(ErrorCode::shape_mismatch, kName, "bias is {}, the weight {} needs [{}]",
         detail::describe(in[2]), to_string(w.shape()), w.shape(0));
  }
  Shape out = x.shape();
  out.back() = w.shape(0);
  return {out, promote_types(x.dtype(), w.dtype())};
}

array matmul(const array& a, const array& b) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (!issubdtype(dtype, Dtype::Category::inexact)) {
    fail(ErrorCode::unsupported_dtype, "matmul", "needs a floating dtype, got {} and {}",
         detail::describe(a), detail::describe(b));
  }
  if (a.ndim() == 0 || b.ndim() == 0) {
    fail(ErrorCode::shape_mismatch, "matmul", "a scalar has no inner size: {} x {}; use multiply",
         detail::describe(a), detail::describe(b));
  }
  const array left = astype(a.ndim() == 1 ? expand_dims(a, 0) : a, dtype);
  const array right = astype(b.ndim() == 1 ? expand_dims(b, 1) : b, dtype);
  array out = apply(Matmul{}, {left, right});
  if (b.ndim() == 1) out = squeeze(out, -1);
  if (a.ndim() == 1) out = squeeze(out, b.ndim() == 1 ? -1 : -2);
  return out;
}

array addmm(const array& c, const array& a, const array& b, float alpha, float beta) {
  const Dtype dtype = promote_types(promote_types(a.dtype(), b.dtype()), c.dtype());
  // Half types are rounded once, at the end.
  const Dtype wide = is_floating(dtype) ? promote_types(dtype, float32) : dtype;
  array product = matmul(astype(a, wide), astype(b, wide));
  if (alpha != 1.0f) product = product * alpha;
  const array term = astype(c, wide);
  return astype(product + (beta == 1.0f ? term : term * beta), dtype);
}

array linear(const array& x, const array& weight, const std::optional<array>& bias) {
  if (bias) return apply(Linear{}, {x, weight, *bias});
  return apply(Linear{}, {x, weight});
}

}  // namespace tessera

#include "tessera/ops/norm.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {
TensorSpec norm_spec(const char* op, std::span<const array> in) {
  detail::check_floating(op, in[0]);
  detail::check_rank(op, in[0], 1);
  Dtype dtype = in[0].dtype();
  for (const array& p : in.subspan(1)) {
    if (p.shape() != Shape{in[0].shape(-1)}) {
      fail(ErrorCode::shape_mismatch, op, "x {} needs parameters [{}], got {}",
           detail::describe(in[0]), in[0].shape(-1), detail::describe(p));
    }
    detail::check_floating(op, p);
    dtype = promote_types(dtype, p.dtype());
  }
  return {in[0].shape(), dtype};
}
}  // namespace

TensorSpec RmsNorm::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 2);
  return norm_spec(kName, in);
}

std::vector<array> RmsNorm::lower(std::span<const array> in) const {
  const Dtype dtype = infer(in).dtype;
  const array x = astype(in[0], float32);
  array y = x * rsqrt(mean(square(x), -1, true) + eps);
  if (in.size() == 2) y = y * astype(in[1], float32);
  return {astype(y, dtype)};
}

TensorSpec LayerNorm::infer(std::span<const array> in) const {
  const std::size_t count = 1u + has_weight + has_bias;
  detail::check_count(kName, in, count, count);
  return norm_spec(kName, in);
}

namespace fast {

array rms_norm(const array& x, const std::optional<array>& weight, float eps) {
  if (weight) return apply(RmsNorm{eps}, {x, *weight});
  return apply(RmsNorm{eps}, {x});
}

array layer_norm(const array& x, const std::optional<array>& weight,
                 const std::optional<array>& bias, float eps) {
  std::vector<array> in{x};
  if (weight) in.push_back(*weight);
  if (bias) in.push_back(*bias);
  return apply(LayerNorm{eps, weight.has_value(), bias.has_value()}, std::move(in));
}

}  // namespace fast
}  // namespace tessera

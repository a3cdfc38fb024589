#include "tessera/ops/norm.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/check_number.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"
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
  detail::check_number(kName, "eps", eps);
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
  detail::check_number(kName, "eps", eps);
  return norm_spec(kName, in);
}

array group_norm(const array& x, int num_groups, const std::optional<array>& weight,
                 const std::optional<array>& bias, float eps, bool pytorch_compatible) {
  constexpr const char* kWhere = "group_norm";
  detail::check_floating(kWhere, x);
  detail::check_rank(kWhere, x, 2);
  const ShapeElem channels = x.shape(-1);
  if (num_groups < 1 || channels % num_groups != 0) {
    fail(ErrorCode::invalid_argument, kWhere, "{} groups do not divide the channels of {}",
         num_groups, detail::describe(x));
  }
  Dtype dtype = x.dtype();
  for (const std::optional<array>& p : {weight, bias}) {
    if (!p) continue;
    detail::check_floating(kWhere, *p);
    if (p->shape() != Shape{channels}) {
      fail(ErrorCode::shape_mismatch, kWhere, "x {} needs parameters [{}], got {}",
           detail::describe(x), channels, detail::describe(*p));
    }
    dtype = promote_types(dtype, p->dtype());
  }
  // The channels of a group last, or the groups themselves, as [N, pixels, ., .].
  const ShapeElem batch = x.shape(0);
  const ShapeElem size = channels / num_groups;
  const ShapeElem pixels = channels == 0 || batch == 0 ? 0 : x.size() / (batch * channels);
  const Shape parts = pytorch_compatible ? Shape{batch, pixels, num_groups, size}
                                         : Shape{batch, pixels, size, num_groups};
  const std::vector<int> order =
      pytorch_compatible ? std::vector<int>{0, 2, 1, 3} : std::vector<int>{0, 3, 1, 2};
  const std::vector<int> back =
      pytorch_compatible ? std::vector<int>{0, 2, 1, 3} : std::vector<int>{0, 2, 3, 1};
  const array groups = transpose(reshape(astype(x, float32), parts), order);
  const array lines = reshape(groups, {batch, num_groups, pixels * size});
  const array normal = fast::layer_norm(lines, std::nullopt, std::nullopt, eps);
  array y = reshape(transpose(reshape(normal, groups.shape()), back), x.shape());
  if (weight) y = y * astype(*weight, float32);
  if (bias) y = y + astype(*bias, float32);
  return astype(y, dtype);
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

#include "tessera/ops/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

array in_float32(const array& a) {
  return astype(a, promote_types(a.dtype(), float32));
}

InlineVector<int, 6> normalize(const char* op, const array& a, const std::vector<int>& axes) {
  InlineVector<int, 6> out;
  for (int axis : axes) out.push_back(normalize_axis(axis, a.ndim(), op));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    fail(ErrorCode::invalid_argument, op, "an axis appears twice");
  }
  return out;
}

}  // namespace

TensorSpec Softmax::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  detail::check_floating(kName, in[0]);
  return {in[0].shape(), in[0].dtype()};
}

std::vector<array> Softmax::lower(std::span<const array> in) const {
  if (in[0].size() == 0) return {in[0]};
  const array x = in_float32(in[0]);
  const array e = exp(x - apply(Max{{axes, true}}, {x}));
  return {astype(e / apply(Sum{{axes, true}}, {e}), in[0].dtype())};
}

TensorSpec LogSumExp::infer(std::span<const array> in) const {
  detail::check_floating(kName, in[0]);
  return detail::reduce_spec(kName, in, *this);
}

std::vector<array> LogSumExp::lower(std::span<const array> in) const {
  const array x = in_float32(in[0]);
  if (in[0].size() == 0) return {astype(log(apply(Sum{*this}, {exp(x)})), in[0].dtype())};
  const array top = apply(Max{{axes, true}}, {x});
  const float inf = std::numeric_limits<float>::infinity();
  // An infinite maximum is the answer; subtracting it would give NaN.
  const array shift = where(abs(top) == inf, detail::scalar(0, x.dtype(), x.backend()), top);
  const array total = log(apply(Sum{{axes, true}}, {exp(x - shift)})) + shift;
  const Shape shape = detail::reduced_shape(in[0].shape(), *this);
  return {reshape(astype(total, in[0].dtype()), shape)};
}

array softmax(const array& a, const std::vector<int>& axes, bool) {
  if (axes.empty()) {
    const Dtype dtype = detail::at_least_float(a.dtype());
    return full(a.shape(), detail::scalar(1, dtype, a.backend()));
  }
  return apply(Softmax{normalize("softmax", a, axes)},
               {astype(a, detail::at_least_float(a.dtype()))});
}
array softmax(const array& a, int axis, bool precise) {
  return softmax(a, std::vector<int>{axis}, precise);
}
array softmax(const array& a, bool precise) {
  return softmax(a, detail::all_axes(a), precise);
}

array logsumexp(const array& a, const std::vector<int>& axes, bool keepdims) {
  return apply(LogSumExp{{normalize("logsumexp", a, axes), keepdims}},
               {astype(a, detail::at_least_float(a.dtype()))});
}
array logsumexp(const array& a, int axis, bool keepdims) {
  return logsumexp(a, std::vector<int>{axis}, keepdims);
}
array logsumexp(const array& a, bool keepdims) {
  return logsumexp(a, detail::all_axes(a), keepdims);
}

}  // namespace tessera

#include "tessera/ops/scan.h"

#include "tessera/ir/node.h"
#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/limits.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

TensorSpec scan_spec(const char* op, std::span<const array> in) {
  detail::check_count(op, in, 1, 1);
  return {in[0].shape(), in[0].dtype()};
}

TensorSpec ordered_scan_spec(const char* op, std::span<const array> in) {
  const TensorSpec spec = scan_spec(op, in);
  if (spec.dtype == complex64) {
    fail(ErrorCode::unsupported_dtype, op, "{} has no order", detail::describe(in[0]));
  }
  return spec;
}

// Along the axis, everything moved on by `distance`, `nothing` in its place (backwards when
// reversed).
array shifted(const array& x, const ScanAxis& scan, ShapeElem distance, const array& nothing) {
  Shape start(x.ndim(), 0);
  Shape stop = x.shape();
  (scan.reverse ? start : stop)[scan.axis] += scan.reverse ? distance : -distance;
  const array kept = slice(x, start, stop);
  Shape gap = x.shape();
  gap[scan.axis] = distance;
  const array filler = full(gap, nothing);
  return scan.reverse ? concatenate({kept, filler}, scan.axis)
                      : concatenate({filler, kept}, scan.axis);
}

// Doubling: after step k each element is the total of the 2^k up to it. `nothing` is a scalar of
// x's dtype that combine() leaves out.
template <class Combine>
array doubled(array x, const ScanAxis& scan, const array& nothing, Combine combine) {
  const ShapeElem length = x.shape()[scan.axis];
  if (x.size() == 0) return x;
  if (!scan.inclusive) x = shifted(x, scan, 1, nothing);
  for (ShapeElem distance = 1; distance < length; distance *= 2) {
    x = combine(x, shifted(x, scan, distance, nothing));
  }
  return x;
}

// The half types in float32, others as they are.
array widened(const array& x) {
  const bool half = is_floating(x.dtype()) && x.dtype().size() < 4;
  return half ? astype(x, float32) : x;
}

// log(exp(x) + exp(y)). Equal operands are apart: the difference of two infinities is NaN.
array log_add_exp(const array& x, const array& y) {
  const array most = maximum(x, y);
  const array apart = most + log(exp(minimum(x, y) - most) + 1);
  return where(x == y, most + 0.6931471805599453, apart);
}

template <class Op>
array along(const array& a, int axis, bool reverse, bool inclusive) {
  return apply(Op{{normalize_axis(axis, a.ndim(), Op::kName), reverse, inclusive}}, {a});
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
TensorSpec CumProd::infer(std::span<const array> in) const {
  return scan_spec(kName, in);
}
TensorSpec CumMax::infer(std::span<const array> in) const {
  return ordered_scan_spec(kName, in);
}
TensorSpec CumMin::infer(std::span<const array> in) const {
  return ordered_scan_spec(kName, in);
}
TensorSpec LogCumSumExp::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  detail::check_floating(kName, in[0]);
  return {in[0].shape(), in[0].dtype()};
}

std::vector<array> CumSum::lower(std::span<const array> in) const {
  const array x = widened(in[0]);
  return {astype(doubled(x, *this, detail::scalar(0, x.dtype(), x.backend()), add), in[0].dtype())};
}
std::vector<array> CumProd::lower(std::span<const array> in) const {
  const array x = widened(in[0]);
  const array one = detail::scalar(1, x.dtype(), x.backend());
  return {astype(doubled(x, *this, one, multiply), in[0].dtype())};
}
std::vector<array> CumMax::lower(std::span<const array> in) const {
  return {doubled(in[0], *this, detail::lowest(in[0].dtype(), in[0].backend()), maximum)};
}
std::vector<array> CumMin::lower(std::span<const array> in) const {
  return {doubled(in[0], *this, detail::highest(in[0].dtype(), in[0].backend()), minimum)};
}
std::vector<array> LogCumSumExp::lower(std::span<const array> in) const {
  const array x = widened(in[0]);
  const array nothing = detail::lowest(x.dtype(), x.backend());
  return {astype(doubled(x, *this, nothing, log_add_exp), in[0].dtype())};
}

array cumsum(const array& a, int axis, bool reverse, bool inclusive, std::optional<Dtype> dtype) {
  const array x = astype(a, dtype.value_or(a.dtype()));
  return along<CumSum>(x.dtype() == bool_ ? astype(x, int32) : x, axis, reverse, inclusive);
}
array cumsum(const array& a, bool reverse, bool inclusive, std::optional<Dtype> dtype) {
  return cumsum(flatten(a), 0, reverse, inclusive, dtype);
}
array cumprod(const array& a, int axis, bool reverse, bool inclusive, std::optional<Dtype> dtype) {
  return along<CumProd>(astype(a, dtype.value_or(a.dtype())), axis, reverse, inclusive);
}
array cumprod(const array& a, bool reverse, bool inclusive, std::optional<Dtype> dtype) {
  return cumprod(flatten(a), 0, reverse, inclusive, dtype);
}
array cummax(const array& a, int axis, bool reverse, bool inclusive) {
  return along<CumMax>(a, axis, reverse, inclusive);
}
array cummax(const array& a, bool reverse, bool inclusive) {
  return cummax(flatten(a), 0, reverse, inclusive);
}
array cummin(const array& a, int axis, bool reverse, bool inclusive) {
  return along<CumMin>(a, axis, reverse, inclusive);
}
array cummin(const array& a, bool reverse, bool inclusive) {
  return cummin(flatten(a), 0, reverse, inclusive);
}
array logcumsumexp(const array& a, int axis, bool reverse, bool inclusive) {
  return along<LogCumSumExp>(astype(a, detail::at_least_float(a.dtype())), axis, reverse,
                             inclusive);
}
array logcumsumexp(const array& a, bool reverse, bool inclusive) {
  return logcumsumexp(flatten(a), 0, reverse, inclusive);
}

}  // namespace tessera

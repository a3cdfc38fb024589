#include "tessera/ops/reduce.h"

#include <algorithm>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

ReduceAxes normalize(const char* op, const array& a, const std::vector<int>& axes, bool keepdims) {
  ReduceAxes r;
  r.keepdims = keepdims;
  for (int axis : axes) r.axes.push_back(normalize_axis(axis, a.ndim(), op));
  std::sort(r.axes.begin(), r.axes.end());
  if (std::adjacent_find(r.axes.begin(), r.axes.end()) != r.axes.end()) {
    fail(ErrorCode::invalid_argument, op, "an axis appears twice");
  }
  return r;
}

// A largest element of nothing does not exist.
void check_not_empty(const char* op, const array& a, const ReduceAxes& r) {
  for (int axis : r.axes) {
    if (a.shape()[axis] == 0) {
      fail(ErrorCode::invalid_argument, op, "axis {} of {} is empty", axis, detail::describe(a));
    }
  }
}

Dtype sum_dtype(Dtype d) {
  if (d == bool_) return int32;
  if (d.size() >= 4 || !is_integer(d)) return d;
  return issubdtype(d, Dtype::Category::signedinteger) ? int32 : uint32;
}

TensorSpec arg_spec(const char* op, std::span<const array> in, int axis, bool keepdims) {
  detail::check_count(op, in, 1, 1);
  ReduceAxes r;
  r.axes.push_back(axis);
  r.keepdims = keepdims;
  check_not_empty(op, in[0], r);
  if (in[0].shape()[axis] > (ShapeElem{1} << 32)) {
    fail(ErrorCode::invalid_argument, op, "axis {} of {} is longer than a uint32 index can say",
         axis, detail::describe(in[0]));
  }
  return {detail::reduced_shape(in[0].shape(), r), uint32};
}

}  // namespace

namespace detail {

Shape reduced_shape(const Shape& shape, const ReduceAxes& r) {
  Shape out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = std::find(r.axes.begin(), r.axes.end(), int(i)) != r.axes.end();
    if (!reduced)
      out.push_back(shape[i]);
    else if (r.keepdims)
      out.push_back(1);
  }
  return out;
}

TensorSpec reduce_spec(const char* op, std::span<const array> in, const ReduceAxes& r) {
  check_count(op, in, 1, 1);
  return {reduced_shape(in[0].shape(), r), in[0].dtype()};
}

}  // namespace detail

TensorSpec Sum::infer(std::span<const array> in) const {
  const TensorSpec spec = detail::reduce_spec(kName, in, *this);
  return {spec.shape, sum_dtype(spec.dtype)};
}
TensorSpec Prod::infer(std::span<const array> in) const {
  const TensorSpec spec = detail::reduce_spec(kName, in, *this);
  return {spec.shape, sum_dtype(spec.dtype)};
}
TensorSpec Max::infer(std::span<const array> in) const {
  check_not_empty(kName, in[0], *this);
  return detail::reduce_spec(kName, in, *this);
}
TensorSpec Min::infer(std::span<const array> in) const {
  check_not_empty(kName, in[0], *this);
  return detail::reduce_spec(kName, in, *this);
}
TensorSpec All::infer(std::span<const array> in) const {
  return {detail::reduce_spec(kName, in, *this).shape, bool_};
}
TensorSpec Any::infer(std::span<const array> in) const {
  return {detail::reduce_spec(kName, in, *this).shape, bool_};
}
TensorSpec Mean::infer(std::span<const array> in) const {
  detail::check_floating(kName, in[0]);
  return detail::reduce_spec(kName, in, *this);
}
TensorSpec ArgMax::infer(std::span<const array> in) const {
  return arg_spec(kName, in, axis, keepdims);
}
TensorSpec ArgMin::infer(std::span<const array> in) const {
  return arg_spec(kName, in, axis, keepdims);
}

namespace {

// Reversing the order of the elements makes the least the largest.
array reversed(const array& a) {
  return is_integer(a.dtype()) || a.dtype() == bool_ ? bitwise_invert(a) : a * -1.0f;
}

// The lowest index of those that hold the extreme, or NaN, which is the extreme then.
array first_index(const array& a, const array& extreme, int axis, bool keepdims) {
  Shape along(a.ndim(), 1);
  along[static_cast<std::size_t>(axis)] = a.shape(axis);
  const array count = apply(Arange{0, 1, a.shape(axis), uint32}, {}, a.backend());
  const array none = detail::scalar(4294967295.0, uint32, a.backend());
  return min(where(a == extreme || a != a, reshape(count, along), none), axis, keepdims);
}

}  // namespace

std::vector<array> Min::lower(std::span<const array> in) const {
  return {reversed(apply(Max{*this}, {reversed(in[0])}))};
}
std::vector<array> ArgMax::lower(std::span<const array> in) const {
  return {first_index(in[0], max(in[0], axis, true), axis, keepdims)};
}
std::vector<array> ArgMin::lower(std::span<const array> in) const {
  return {first_index(in[0], min(in[0], axis, true), axis, keepdims)};
}
std::vector<array> All::lower(std::span<const array> in) const {
  return {astype(apply(Prod{*this}, {astype(astype(in[0], bool_), int32)}), bool_)};
}
std::vector<array> Any::lower(std::span<const array> in) const {
  return {astype(apply(Sum{*this}, {astype(astype(in[0], bool_), int32)}), bool_)};
}
std::vector<array> Mean::lower(std::span<const array> in) const {
  double count = 1;
  for (int axis : axes) count *= static_cast<double>(in[0].shape()[axis]);
  const array x = astype(in[0], promote_types(in[0].dtype(), float32));
  return {astype(apply(Sum{*this}, {x}) / count, in[0].dtype())};
}

#define TESSERA_REDUCTION(name, Op, dtype)                                     \
  array name(const array& a, const std::vector<int>& axes, bool keepdims) {    \
    return apply(Op{normalize(#name, a, axes, keepdims)}, {astype(a, dtype)}); \
  }                                                                            \
  array name(const array& a, bool keepdims) {                                  \
    return name(a, detail::all_axes(a), keepdims);                             \
  }                                                                            \
  array name(const array& a, int axis, bool keepdims) {                        \
    return name(a, std::vector<int>{axis}, keepdims);                          \
  }
TESSERA_REDUCTION(sum, Sum, a.dtype())
TESSERA_REDUCTION(prod, Prod, a.dtype())
TESSERA_REDUCTION(max, Max, a.dtype())
TESSERA_REDUCTION(min, Min, a.dtype())
TESSERA_REDUCTION(all, All, a.dtype())
TESSERA_REDUCTION(any, Any, a.dtype())
TESSERA_REDUCTION(mean, Mean, detail::at_least_float(a.dtype()))
#undef TESSERA_REDUCTION

namespace {
template <class Op>
array arg_reduce_flat(const array& a, bool keepdims) {
  const array index = apply(Op{0, false}, {reshape(a, {-1})});
  return keepdims ? reshape(index, Shape(a.ndim(), 1)) : index;
}
}  // namespace

array argmax(const array& a, int axis, bool keepdims) {
  return apply(ArgMax{normalize_axis(axis, a.ndim(), "argmax"), keepdims}, {a});
}
array argmax(const array& a, bool keepdims) {
  return arg_reduce_flat<ArgMax>(a, keepdims);
}
array argmin(const array& a, int axis, bool keepdims) {
  return apply(ArgMin{normalize_axis(axis, a.ndim(), "argmin"), keepdims}, {a});
}
array argmin(const array& a, bool keepdims) {
  return arg_reduce_flat<ArgMin>(a, keepdims);
}

}  // namespace tessera

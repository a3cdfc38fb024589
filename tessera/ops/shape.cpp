#include "tessera/ops/shape.h"

#include <algorithm>
#include <numeric>

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

namespace {

ShapeElem slice_length(ShapeElem start, ShapeElem stop, ShapeElem stride) {
  const ShapeElem span = stride > 0 ? stop - start : start - stop;
  if (span <= 0) return 0;
  // Unsigned, where the least stride has a magnitude.
  const auto step = stride > 0 ? std::uint64_t(stride) : 0 - std::uint64_t(stride);
  return static_cast<ShapeElem>(std::uint64_t(span - 1) / step) + 1;
}

// A size of two parts.
ShapeElem joined(const char* op, ShapeElem a, ShapeElem b) {
  ShapeElem sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    fail(ErrorCode::invalid_argument, op, "an axis of {} and {} elements is past 2^63 - 1", a, b);
  }
  return sum;
}

Shape slice_shape(const Shape& start, const Shape& stop, const Shape& strides) {
  Shape out(start.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = slice_length(start[i], stop[i], strides[i]);
  }
  return out;
}

// Bounds as NumPy reads them: from the end when negative, then clamped. A negative stride may stop
// at -1, "before the first".
void normalize_slice(const char* op, const array& a, Shape& start, Shape& stop,
                     const Shape& strides) {
  if (start.size() != a.ndim() || stop.size() != a.ndim() || strides.size() != a.ndim()) {
    fail(ErrorCode::invalid_argument, op,
         "needs start, stop and stride for each of {} axes, got {} {} {}", a.ndim(), start.size(),
         stop.size(), strides.size());
  }
  for (std::size_t i = 0; i < a.ndim(); ++i) {
    const ShapeElem n = a.shape()[i];
    if (strides[i] == 0) fail(ErrorCode::invalid_argument, op, "stride 0 on axis {}", i);
    const bool forward = strides[i] > 0;
    const ShapeElem least = forward ? 0 : -1;
    const ShapeElem most = forward ? n : n - 1;
    if (start[i] < 0) start[i] += n;
    if (stop[i] < 0) stop[i] += n;
    start[i] = std::clamp(start[i], least, std::max(least, most));
    stop[i] = std::clamp(stop[i], least, std::max(least, most));
  }
}

}  // namespace

TensorSpec Reshape::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  if (num_elements(shape) != in[0].size()) {
    fail(ErrorCode::shape_mismatch, kName, "{} has {} elements, shape {} needs {}",
         detail::describe(in[0]), in[0].size(), to_string(shape), num_elements(shape));
  }
  return {shape, in[0].dtype()};
}

TensorSpec Transpose::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  Shape out(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) out[i] = in[0].shape()[axes[i]];
  return {out, in[0].dtype()};
}

TensorSpec Broadcast::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  if (broadcast_shapes(in[0].shape(), shape, kName) != shape) {
    fail(ErrorCode::shape_mismatch, kName, "{} does not broadcast to {}", detail::describe(in[0]),
         to_string(shape));
  }
  return {shape, in[0].dtype()};
}

TensorSpec Slice::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  return {slice_shape(start, stop, strides), in[0].dtype()};
}

TensorSpec SliceUpdate::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  const Shape slot = slice_shape(start, stop, strides);
  if (in[1].shape() != slot || in[0].dtype() != in[1].dtype()) {
    fail(ErrorCode::shape_mismatch, kName, "update {} does not fit the slice {} of {}",
         detail::describe(in[1]), to_string(slot), detail::describe(in[0]));
  }
  return {in[0].shape(), in[0].dtype()};
}

TensorSpec Concatenate::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, SIZE_MAX);
  Shape out = in[0].shape();
  for (std::size_t k = 1; k < in.size(); ++k) {
    const Shape& s = in[k].shape();
    bool fits = s.size() == out.size();
    for (std::size_t i = 0; fits && i < s.size(); ++i) {
      fits = static_cast<int>(i) == axis || s[i] == out[i];
    }
    if (!fits) {
      fail(ErrorCode::shape_mismatch, kName, "input {} is {}, which does not join {} along axis {}",
           k, to_string(s), to_string(in[0].shape()), axis);
    }
    out[axis] = joined(kName, out[axis], s[axis]);
  }
  return {out, in[0].dtype()};
}

TensorSpec Pad::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  Shape out = in[0].shape();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = joined(kName, out[i], low[i] + high[i]);
  return {out, in[0].dtype()};
}

array reshape(const array& a, Shape shape) {
  int unknown = -1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && std::exchange(unknown, static_cast<int>(i)) != -1) {
      fail(ErrorCode::invalid_argument, "reshape", "{} has more than one -1", to_string(shape));
    }
  }
  if (unknown >= 0) {
    Shape others = shape;
    others[unknown] = 1;
    const ShapeElem known = num_elements(others);
    if (known == 0 || a.size() % known != 0) {
      fail(ErrorCode::shape_mismatch, "reshape", "-1 in {} has no answer for {}", to_string(shape),
           detail::describe(a));
    }
    shape[unknown] = a.size() / known;
  }
  if (shape == a.shape()) return a;
  return apply(Reshape{std::move(shape)}, {a});
}

array transpose(const array& a, std::vector<int> axes) {
  if (axes.size() != a.ndim()) {
    fail(ErrorCode::invalid_argument, "transpose", "{} axes for {}", axes.size(),
         detail::describe(a));
  }
  InlineVector<int, 6> order;
  std::vector<bool> seen(axes.size());
  for (int axis : axes) {
    order.push_back(normalize_axis(axis, a.ndim(), "transpose"));
    if (seen[order.back()]) {
      fail(ErrorCode::invalid_argument, "transpose", "axis {} appears twice", axis);
    }
    seen[order.back()] = true;
  }
  return apply(Transpose{std::move(order)}, {a});
}

array transpose(const array& a) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return transpose(a, std::move(axes));
}

array swapaxes(const array& a, int axis1, int axis2) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[normalize_axis(axis1, a.ndim(), "swapaxes")],
            axes[normalize_axis(axis2, a.ndim(), "swapaxes")]);
  return transpose(a, std::move(axes));
}

array expand_dims(const array& a, int axis) {
  Shape shape = a.shape();
  const int at = normalize_axis(axis, a.ndim() + 1, "expand_dims");
  shape.insert(shape.begin() + at, 1);
  return reshape(a, std::move(shape));
}

array squeeze(const array& a, int axis) {
  Shape shape = a.shape();
  const int at = normalize_axis(axis, a.ndim(), "squeeze");
  if (shape[at] != 1) {
    fail(ErrorCode::invalid_argument, "squeeze", "axis {} of {} is not of size 1", axis,
         detail::describe(a));
  }
  shape.erase(shape.begin() + at);
  return reshape(a, std::move(shape));
}

array broadcast_to(const array& a, const Shape& shape) {
  return a.shape() == shape ? a : apply(Broadcast{shape}, {a});
}

array slice(const array& a, Shape start, Shape stop, Shape strides) {
  normalize_slice("slice", a, start, stop, strides);
  Slice op{std::move(start), std::move(stop), std::move(strides)};
  bool whole = true;
  for (std::size_t i = 0; whole && i < a.ndim(); ++i) {
    whole = op.start[i] == 0 && op.stop[i] == a.shape()[i] && op.strides[i] == 1;
  }
  return whole ? a : apply(std::move(op), {a});
}
array slice(const array& a, Shape start, Shape stop) {
  return slice(a, std::move(start), std::move(stop), Shape(a.ndim(), 1));
}

array slice_update(const array& a, const array& update, Shape start, Shape stop, Shape strides) {
  normalize_slice("slice_update", a, start, stop, strides);
  const Shape slot = slice_shape(start, stop, strides);
  const array fitted = broadcast_to(astype(update, a.dtype()), slot);
  return apply(SliceUpdate{std::move(start), std::move(stop), std::move(strides)}, {a, fitted});
}
array slice_update(const array& a, const array& update, Shape start, Shape stop) {
  return slice_update(a, update, std::move(start), std::move(stop), Shape(a.ndim(), 1));
}

array concatenate(std::vector<array> arrays, int axis) {
  if (arrays.empty()) fail(ErrorCode::invalid_argument, "concatenate", "no arrays given");
  axis = normalize_axis(axis, arrays[0].ndim(), "concatenate");
  Dtype dtype = arrays[0].dtype();
  for (const array& a : arrays) dtype = promote_types(dtype, a.dtype());
  for (array& a : arrays) a = astype(a, dtype);
  if (arrays.size() == 1) return arrays[0];
  return apply(Concatenate{axis}, std::move(arrays));
}

array stack(const std::vector<array>& arrays, int axis) {
  std::vector<array> rows;
  rows.reserve(arrays.size());
  for (const array& a : arrays) rows.push_back(expand_dims(a, axis));
  return concatenate(std::move(rows), axis);
}

std::vector<array> split(const array& a, int parts, int axis) {
  axis = normalize_axis(axis, a.ndim(), "split");
  const ShapeElem n = a.shape()[axis];
  if (parts <= 0 || n % parts != 0) {
    fail(ErrorCode::invalid_argument, "split", "axis {} of {} does not split into {} equal parts",
         axis, detail::describe(a), parts);
  }
  std::vector<array> out;
  Shape start(a.ndim(), 0);
  Shape stop = a.shape();
  for (int i = 0; i < parts; ++i) {
    start[axis] = n / parts * i;
    stop[axis] = n / parts * (i + 1);
    out.push_back(slice(a, start, stop));
  }
  return out;
}

namespace {

// Which element of an axis of `size` stands at `place`, where places outside it repeat the axis
// mirrored, each end once ("reflect") or twice ("symmetric"), or just the ends ("edge").
std::int64_t source_of(std::int64_t place, ShapeElem size, const std::string& mode) {
  if (mode == "edge" || size == 1) return std::clamp<std::int64_t>(place, 0, size - 1);
  const std::int64_t period = mode == "reflect" ? 2 * size - 2 : 2 * size;
  const std::int64_t in_period = (place % period + period) % period;
  return in_period < size    ? in_period
         : mode == "reflect" ? period - in_period
                             : period - 1 - in_period;
}

array pad_with_elements(const array& a, const Pad& op, const std::string& mode) {
  array out = a;
  for (int axis = 0; axis < static_cast<int>(a.ndim()); ++axis) {
    if (op.low[axis] == 0 && op.high[axis] == 0) continue;
    const ShapeElem size = a.shape()[axis];
    if (size == 0) {
      fail(ErrorCode::shape_mismatch, "pad", "axis {} of {} has no edge to repeat", axis,
           detail::describe(a));
    }
    std::vector<std::int64_t> sources;
    for (std::int64_t place = -op.low[axis]; place < size + op.high[axis]; ++place) {
      sources.push_back(source_of(place, size, mode));
    }
    const HostTensor index = HostTensor::from(std::span<const std::int64_t>(sources),
                                              Shape{static_cast<ShapeElem>(sources.size())});
    out = take(out, array(index, a.backend()), axis);
  }
  return out;
}

}  // namespace

array pad(const array& a, const std::vector<std::pair<int, int>>& width, const array& value,
          const std::string& mode) {
  if (width.size() != a.ndim()) {
    fail(ErrorCode::invalid_argument, "pad", "{} widths for {}", width.size(), detail::describe(a));
  }
  if (value.size() != 1) {
    fail(ErrorCode::shape_mismatch, "pad", "the value must be a scalar, got {}",
         detail::describe(value));
  }
  Pad op;
  for (const auto& [low, high] : width) {
    if (low < 0 || high < 0) {
      fail(ErrorCode::invalid_argument, "pad", "width ({}, {}) is negative", low, high);
    }
    op.low.push_back(low);
    op.high.push_back(high);
  }
  if (mode == "edge" || mode == "reflect" || mode == "symmetric") {
    return pad_with_elements(a, op, mode);
  }
  if (mode != "constant") {
    fail(ErrorCode::invalid_argument, "pad",
         "mode \"{}\" is not one of \"constant\" \"edge\" \"reflect\" \"symmetric\"", mode);
  }
  return apply(std::move(op), {a, reshape(astype(value, a.dtype()), {})});
}
array pad(const array& a, const std::vector<std::pair<int, int>>& width) {
  return pad(a, width, detail::scalar(0, a.dtype(), a.backend()));
}

}  // namespace tessera

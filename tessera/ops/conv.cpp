#include "tessera/ops/conv.h"

#include <algorithm>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

constexpr const char* kName = ConvGeneral::kName;

std::string describe(std::span<const array> in) {
  return fmt::format("input {} and weight {}", detail::describe(in[0]), detail::describe(in[1]));
}

// base + (count - 1) * step, the reach of `count` elements `step` apart.
ShapeElem reach(ShapeElem count, ShapeElem step, ShapeElem base) {
  ShapeElem out = 0;
  if (__builtin_mul_overflow(count - 1, step, &out) || __builtin_add_overflow(out, base, &out)) {
    fail(ErrorCode::invalid_argument, kName, "{} elements {} apart reach past 2^63 - 1", count,
         step);
  }
  return out;
}

ShapeElem sum(ShapeElem a, ShapeElem b) {
  ShapeElem out = 0;
  if (__builtin_add_overflow(a, b, &out)) {
    fail(ErrorCode::invalid_argument, kName, "an axis of {} and {} elements is past 2^63 - 1", a,
         b);
  }
  return out;
}

void check_positive(const char* what, const Shape& values, std::size_t axes) {
  const bool positive = std::all_of(values.begin(), values.end(), [](auto v) { return v > 0; });
  if (values.size() != axes || !positive) {
    fail(ErrorCode::invalid_argument, kName, "{} {} is not one positive size for each of {} axes",
         what, to_string(values), axes);
  }
}

}  // namespace

TensorSpec ConvGeneral::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  const Shape& x = in[0].shape();
  const Shape& w = in[1].shape();
  for (const array& a : in) detail::check_floating(kName, a);
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size()) {
    fail(ErrorCode::shape_mismatch, kName,
         "needs input [N, spatial..., C] and weight [O, kernel..., C / groups] of 1 to 3 spatial "
         "axes, got {}",
         describe(in));
  }
  const std::size_t axes = x.size() - 2;
  check_positive("stride", stride, axes);
  check_positive("kernel_dilation", kernel_dilation, axes);
  check_positive("input_dilation", input_dilation, axes);
  if (padding_low.size() != axes || padding_high.size() != axes) {
    fail(ErrorCode::invalid_argument, kName, "padding {} and {} for {} spatial axes",
         to_string(padding_low), to_string(padding_high), axes);
  }
  if (groups < 1 || x.back() % groups != 0 || w.front() % groups != 0) {
    fail(ErrorCode::invalid_argument, kName,
         "groups = {} does not divide the channels of {} evenly", groups, describe(in));
  }
  if (x.back() / groups != w.back()) {
    fail(ErrorCode::shape_mismatch, kName,
         "the weight's last axis must be the input's channels over groups = {}, got {}", groups,
         describe(in));
  }
  Shape out(x.size());
  out.front() = x.front();
  out.back() = w.front();
  for (std::size_t i = 0; i < axes; ++i) {
    const ShapeElem n = x[i + 1];
    if (w[i + 1] < 1) fail(ErrorCode::shape_mismatch, kName, "empty kernel: {}", describe(in));
    const ShapeElem dilated = n == 0 ? 0 : reach(n, input_dilation[i], 1);
    const ShapeElem padded = sum(sum(dilated, padding_low[i]), padding_high[i]);
    const ShapeElem kernel = reach(w[i + 1], kernel_dilation[i], 1);
    if (padded < kernel) {
      fail(ErrorCode::shape_mismatch, kName,
           "spatial axis {} has {} elements after padding, fewer than the kernel's {}: {}, padding "
           "{} and {}",
           i, padded, kernel, describe(in), to_string(padding_low), to_string(padding_high));
    }
    out[i + 1] = (padded - kernel) / stride[i] + 1;
  }
  return {out, promote_types(in[0].dtype(), in[1].dtype())};
}

namespace {

array padded(const array& a, const Shape& low, const Shape& high) {
  return apply(Pad{low, high}, {a, detail::scalar(0, a.dtype(), a.backend())});
}

// Zeros between the elements of the spatial axes, then around them; negative padding crops.
array spread(const array& x, const ConvGeneral& op) {
  array out = x;
  const Shape none(x.ndim(), 0);
  Shape low = none, high = none, start = none, stop;
  for (std::size_t i = 0; i < op.stride.size(); ++i) {
    const std::size_t axis = i + 1;
    const ShapeElem step = op.input_dilation[i];
    if (step > 1 && out.shape()[axis] > 0) {
      // Each element becomes a run of itself and zeros; the last run keeps its first element only.
      Shape runs = out.shape();
      const ShapeElem n = runs[axis];
      runs.insert(runs.begin() + axis + 1, 1);
      Shape tail(runs.size(), 0);
      tail[axis + 1] = step - 1;
      Shape merged = out.shape();
      merged[axis] = n * step;
      out = reshape(padded(reshape(out, runs), Shape(runs.size(), 0), tail), merged);
      merged[axis] = (n - 1) * step + 1;
      out = slice(out, none, merged);
    }
    low[axis] = std::max<ShapeElem>(0, op.padding_low[i]);
    high[axis] = std::max<ShapeElem>(0, op.padding_high[i]);
  }
  out = padded(out, low, high);
  stop = out.shape();
  for (std::size_t i = 0; i < op.stride.size(); ++i) {
    start[i + 1] = std::max<ShapeElem>(0, -op.padding_low[i]);
    stop[i + 1] -= std::max<ShapeElem>(0, -op.padding_high[i]);
  }
  return slice(out, start, stop);
}

}  // namespace

// One product per element of the kernel: the input seen from there, times that element's matrix.
std::vector<array> ConvGeneral::lower(std::span<const array> in) const {
  const TensorSpec spec = infer(in);
  const std::size_t axes = stride.size();
  const Dtype dtype = promote_types(spec.dtype, float32);
  const array x = spread(astype(in[0], dtype), *this);
  const array w = astype(in[1], dtype);
  const ShapeElem outputs = w.shape().front();
  const ShapeElem channels = w.shape().back();
  const Shape kernel(w.shape().begin() + 1, w.shape().end() - 1);

  Shape rows = spec.shape;  // [positions, groups, channels of a group] in the end
  rows.pop_back();
  const ShapeElem positions = num_elements(rows);
  std::optional<array> total;
  for (std::int64_t tap = 0; tap < num_elements(kernel); ++tap) {
    Shape x_start(axes + 2, 0), x_stop = x.shape(), x_step(axes + 2, 1);
    Shape w_start(axes + 2, 0), w_stop = w.shape();
    std::int64_t rest = tap;
    for (std::size_t i = axes; i-- > 0;) {
      const ShapeElem k = rest % kernel[i];
      rest /= kernel[i];
      x_start[i + 1] = k * kernel_dilation[i];
      x_stop[i + 1] = x_start[i + 1] + (spec.shape[i + 1] - 1) * stride[i] + 1;
      x_step[i + 1] = stride[i];
      w_start[i + 1] = flip ? kernel[i] - 1 - k : k;
      w_stop[i + 1] = w_start[i + 1] + 1;
    }
    const array seen = reshape(slice(x, x_start, x_stop, x_step), {positions, groups, channels});
    const array matrix = reshape(slice(w, w_start, w_stop), {groups, outputs / groups, channels});
    const array product = matmul(transpose(seen, {1, 0, 2}), swapaxes(matrix, 1, 2));
    total = total ? *total + product : product;
  }
  return {astype(reshape(transpose(*total, {1, 0, 2}), spec.shape), spec.dtype)};
}

namespace {

Shape per_axis(const char* what, const std::vector<int>& given, std::size_t axes, int missing) {
  if (given.size() == axes) return Shape(given.begin(), given.end());
  if (given.empty()) return Shape(axes, missing);
  if (given.size() == 1) return Shape(axes, given[0]);
  fail(ErrorCode::invalid_argument, kName, "{} has {} entries for {} spatial axes", what,
       given.size(), axes);
}

// Padding in 64 bits: a transpose's is computed from sizes.
array convolve(const array& input, const array& weight, const std::vector<int>& stride, Shape low,
               Shape high, const std::vector<int>& kernel_dilation,
               const std::vector<int>& input_dilation, int groups, bool flip) {
  const std::size_t axes = low.size();
  ConvGeneral op;
  op.stride = per_axis("stride", stride, axes, 1);
  op.padding_low = std::move(low);
  op.padding_high = std::move(high);
  op.kernel_dilation = per_axis("kernel_dilation", kernel_dilation, axes, 1);
  op.input_dilation = per_axis("input_dilation", input_dilation, axes, 1);
  op.groups = groups;
  op.flip = flip;
  return apply(std::move(op), {input, weight});
}

std::size_t spatial_axes(const array& input) {
  return std::max<std::size_t>(input.ndim(), 2) - 2;
}

void check_rank(const char* op, const array& input, const array& weight, std::size_t axes) {
  if (input.ndim() != axes + 2 || weight.ndim() != axes + 2) {
    fail(ErrorCode::shape_mismatch, op, "needs {} spatial axes, got input {} and weight {}", axes,
         detail::describe(input), detail::describe(weight));
  }
}

array plain(const char* op, const array& input, const array& weight, const std::vector<int>& stride,
            const std::vector<int>& padding, const std::vector<int>& dilation, int groups) {
  check_rank(op, input, weight, stride.size());
  const Shape pad(padding.begin(), padding.end());
  return convolve(input, weight, stride, pad, pad, dilation, {}, groups, false);
}

// The gradient of a convolution with respect to its input: the kernel backwards over the spread
// input, padded by what it reaches beyond it.
array transposed(const char* op, const array& input, const array& weight,
                 const std::vector<int>& stride, const std::vector<int>& padding,
                 const std::vector<int>& dilation, const std::vector<int>& output_padding,
                 int groups) {
  const std::size_t axes = stride.size();
  check_rank(op, input, weight, axes);
  Shape low(axes), high(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    low[i] = reach(weight.shape()[i + 1], dilation[i], 0) - padding[i];
    high[i] = sum(low[i], output_padding[i]);
  }
  return convolve(input, weight, {}, low, high, dilation, stride, groups, true);
}

std::vector<int> list(const std::pair<int, int>& p) {
  return {p.first, p.second};
}
std::vector<int> list(const std::tuple<int, int, int>& t) {
  return {std::get<0>(t), std::get<1>(t), std::get<2>(t)};
}

}  // namespace

array conv_general(const array& input, const array& weight, const std::vector<int>& stride,
                   const std::vector<int>& padding_lo, const std::vector<int>& padding_hi,
                   const std::vector<int>& kernel_dilation, const std::vector<int>& input_dilation,
                   int groups, bool flip) {
  const std::size_t axes = spatial_axes(input);
  return convolve(input, weight, stride, per_axis("padding_lo", padding_lo, axes, 0),
                  per_axis("padding_hi", padding_hi, axes, 0), kernel_dilation, input_dilation,
                  groups, flip);
}
array conv_general(const array& input, const array& weight, const std::vector<int>& stride,
                   const std::vector<int>& padding, const std::vector<int>& kernel_dilation,
                   const std::vector<int>& input_dilation, int groups, bool flip) {
  const Shape pad = per_axis("padding", padding, spatial_axes(input), 0);
  return convolve(input, weight, stride, pad, pad, kernel_dilation, input_dilation, groups, flip);
}

array conv1d(const array& input, const array& weight, int stride, int padding, int dilation,
             int groups) {
  return plain("conv1d", input, weight, {stride}, {padding}, {dilation}, groups);
}
array conv2d(const array& input, const array& weight, const std::pair<int, int>& stride,
             const std::pair<int, int>& padding, const std::pair<int, int>& dilation, int groups) {
  return plain("conv2d", input, weight, list(stride), list(padding), list(dilation), groups);
}
array conv3d(const array& input, const array& weight, const std::tuple<int, int, int>& stride,
             const std::tuple<int, int, int>& padding, const std::tuple<int, int, int>& dilation,
             int groups) {
  return plain("conv3d", input, weight, list(stride), list(padding), list(dilation), groups);
}

array conv_transpose1d(const array& input, const array& weight, int stride, int padding,
                       int dilation, int output_padding, int groups) {
  return transposed("conv_transpose1d", input, weight, {stride}, {padding}, {dilation},
                    {output_padding}, groups);
}
array conv_transpose2d(const array& input, const array& weight, const std::pair<int, int>& stride,
                       const std::pair<int, int>& padding, const std::pair<int, int>& dilation,
                       const std::pair<int, int>& output_padding, int groups) {
  return transposed("conv_transpose2d", input, weight, list(stride), list(padding), list(dilation),
                    list(output_padding), groups);
}
array conv_transpose3d(const array& input, const array& weight,
                       const std::tuple<int, int, int>& stride,
                       const std::tuple<int, int, int>& padding,
                       const std::tuple<int, int, int>& dilation,
                       const std::tuple<int, int, int>& output_padding, int groups) {
  return transposed("conv_transpose3d", input, weight, list(stride), list(padding), list(dilation),
                    list(output_padding), groups);
}

}  // namespace tessera

// Gradients and batching of convolution, pooling and the Fourier transform; batching of the
// quantising ops.
#include "tessera/ir/node.h"
#include "tessera/ops/conv.h"
#include "tessera/ops/fft.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/rules.h"
#include "tessera/ops/pool.h"
#include "tessera/ops/quantize.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

// Elements from first to last of n that lie `step` apart.
ShapeElem reach(ShapeElem n, ShapeElem step) {
  return (n - 1) * step + 1;
}

// [O, kernel..., C / g] as [C, kernel..., O / g]: input and output channels of each group change
// places.
array swap_channels(const array& w, std::int64_t groups) {
  Shape split{groups, w.shape().front() / groups};
  for (std::size_t i = 1; i < w.ndim(); ++i) split.push_back(w.shape()[i]);
  const array parts = swapaxes(reshape(w, split), 1, -1);
  Shape joined(parts.shape().begin() + 1, parts.shape().end());
  joined[0] *= groups;
  return reshape(parts, joined);
}

// [N, spatial..., C] as [C / g, spatial..., g * N]: each group's samples become its channels.
array samples_as_channels(const array& x, std::int64_t groups) {
  Shape split(x.shape().begin(), x.shape().end() - 1);
  split.push_back(groups);
  split.push_back(x.shape().back() / groups);
  const int rank = static_cast<int>(split.size());
  std::vector<int> order{rank - 1};
  for (int i = 1; i + 1 < rank; ++i) order.push_back(i);
  order.push_back(0);
  const array moved = transpose(reshape(x, split), order);
  Shape joined(moved.shape().begin(), moved.shape().end() - 1);
  joined.back() *= x.shape(0);
  return reshape(moved, joined);
}

// Along all spatial axes.
array reversed(const array& a) {
  Shape start(a.ndim(), 0), stop = a.shape(), strides(a.ndim(), 1);
  for (std::size_t i = 1; i + 1 < a.ndim(); ++i) {
    start[i] = a.shape()[i] - 1;
    stop[i] = -1;
    strides[i] = -1;
  }
  return apply(Slice{start, stop, strides}, {a});
}

// The input's gradient: the output's gradient, spread by the stride, under the kernel turned round.
array input_gradient(const ConvGeneral& c, const array& x, const array& w, const array& ct) {
  ConvGeneral back = c;
  back.stride = c.input_dilation;
  back.input_dilation = c.stride;
  back.flip = !c.flip;
  for (std::size_t i = 0; i < c.stride.size(); ++i) {
    back.padding_low[i] = reach(w.shape()[i + 1], c.kernel_dilation[i]) - 1 - c.padding_low[i];
    back.padding_high[i] = reach(x.shape()[i + 1], c.input_dilation[i]) + c.padding_low[i] -
                           reach(ct.shape()[i + 1], c.stride[i]);
  }
  return apply(std::move(back), {ct, swap_channels(w, c.groups)});
}

// The kernel's gradient: the input under the output's gradient as a kernel, samples as channels.
array weight_gradient(const ConvGeneral& c, const array& x, const array& w, const array& ct) {
  ConvGeneral back = c;
  back.stride = c.kernel_dilation;
  back.kernel_dilation = c.stride;
  back.flip = false;
  for (std::size_t i = 0; i < c.stride.size(); ++i) {
    back.padding_high[i] = reach(w.shape()[i + 1], c.kernel_dilation[i]) - 1 +
                           reach(ct.shape()[i + 1], c.stride[i]) - c.padding_low[i] -
                           reach(x.shape()[i + 1], c.input_dilation[i]);
  }
  const array kernel = swapaxes(ct, 0, -1);
  const array gradient =
      swapaxes(apply(std::move(back), {samples_as_channels(x, c.groups), kernel}), 0, -1);
  return c.flip ? reversed(gradient) : gradient;
}

}  // namespace

void ConvGeneral::vjp(Vjp& v) const {
  const array &x = v.input(0), &w = v.input(1), &ct = v.cotangent();
  if (x.size() == 0 || w.size() == 0 || ct.size() == 0) return;  // nothing depends on anything
  if (v.wants(0)) v.set(0, input_gradient(*this, x, w, ct));
  if (v.wants(1)) v.set(1, weight_gradient(*this, x, w, ct));
}

namespace {

// An op on [N, ...] of a batch of them: the samples of all in a row.
template <class Op>
std::vector<array> vmap_samples(const Op& op, const Vmap& v, std::vector<array> inputs) {
  const Shape& shape = inputs[0].shape();
  Shape folded(shape.begin() + 1, shape.end());
  folded[0] *= shape[0];
  inputs[0] = reshape(inputs[0], folded);
  const array out = apply(op, std::move(inputs));
  Shape unfolded = detail::with_front(out.shape(), v.size());
  unfolded[1] = shape[1];
  return {reshape(out, unfolded)};
}

}  // namespace

std::vector<array> ConvGeneral::vmap(const Vmap& v) const {
  if (v.batched(1)) return {};
  return vmap_samples(*this, v, {v.input(0), v.input(1)});
}
std::vector<array> Pool::vmap(const Vmap& v) const {
  return vmap_samples(*this, v, {v.input(0)});
}
std::vector<array> Fft::vmap(const Vmap& v) const {
  return {apply(detail::behind_batch_axis(*this), {v.input()})};
}
std::vector<array> Quantize::vmap(const Vmap& v) const {
  return {apply(*this, {v.input()})};
}
std::vector<array> DequantizeGroups::vmap(const Vmap& v) const {
  std::vector<array> inputs;
  for (std::size_t i = 0; i < v.inputs().size(); ++i) inputs.push_back(v.with_batch(i));
  return {apply(*this, std::move(inputs))};
}

}  // namespace tessera

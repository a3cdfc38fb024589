// Convolution. The rows of the input that each output position sees are gathered, a tile of
// positions at a time, and multiplied with the weights as one matrix product per group. Where a
// group has a single channel (depthwise), and for float64, the sum runs directly.
#include "tessera/ops/conv.h"

#include <algorithm>
#include <cstring>

#include "tessera/backends/cpu/float_type.h"
#include "tessera/backends/cpu/isa/matmul.h"
#include "tessera/backends/cpu/kernel.h"

namespace tessera::cpu {

namespace {

constexpr std::int64_t kTileBytes = std::int64_t{4} << 20;

// The geometry, with spatial axes of size 1 put in front up to three of them.
struct Geometry {
  std::int64_t channels, outputs, groups;      // of the whole tensors
  std::int64_t group_channels, group_outputs;  // of one group
  std::int64_t in[3], kernel[3], out[3];       // sizes
  std::int64_t stride[3], low[3], dilation[3], spread[3];
  bool flip;
  std::int64_t taps = 1, positions = 1;  // elements of the kernel; output positions in all

  Geometry(const ConvGeneral& op, const Shape& x, const Shape& w, const Shape& y)
      : channels(x.back()),
        outputs(w.front()),
        groups(op.groups),
        group_channels(w.back()),
        group_outputs(w.front() / op.groups),
        flip(op.flip),
        positions(x.front()) {
    const std::size_t axes = op.stride.size();
    for (std::size_t i = 0; i < 3; ++i) {
      const bool real = i + axes >= 3;
      const std::size_t axis = real ? i + axes - 3 : 0;
      in[i] = real ? x[axis + 1] : 1;
      kernel[i] = real ? w[axis + 1] : 1;
      out[i] = real ? y[axis + 1] : 1;
      stride[i] = real ? op.stride[axis] : 1;
      low[i] = real ? op.padding_low[axis] : 0;
      dilation[i] = real ? op.kernel_dilation[axis] : 1;
      spread[i] = real ? op.input_dilation[axis] : 1;
      taps *= kernel[i];
      positions *= out[i];
    }
  }

  // Calls visit(tap, pixel) for each element of the kernel, in the weight's order, with the input
  // pixel that the output position sees there: -1 where that is padding.
  template <class Visit>
  void for_each_tap(std::int64_t position, Visit visit) const {
    std::int64_t at[3];
    std::int64_t rest = position;
    for (int i = 2; i >= 0; --i) {
      at[i] = rest % out[i] * stride[i] - low[i];
      rest /= out[i];
    }
    const std::int64_t batch = rest;
    std::int64_t tap = 0;
    for (std::int64_t d = 0; d < kernel[0]; ++d) {
      const std::int64_t plane = pixel(0, at[0], d, batch);
      for (std::int64_t h = 0; h < kernel[1]; ++h) {
        const std::int64_t row = plane < 0 ? -1 : pixel(1, at[1], h, plane);
        for (std::int64_t w = 0; w < kernel[2]; ++w) {
          visit(tap++, row < 0 ? -1 : pixel(2, at[2], w, row));
        }
      }
    }
  }

  // Whether position p sees exactly pixel p.
  bool is_pointwise() const {
    for (int i = 0; i < 3; ++i) {
      if (kernel[i] != 1 || stride[i] != 1 || spread[i] != 1 || low[i] != 0) return false;
      if (in[i] != out[i]) return false;
    }
    return true;
  }

 private:
  // The index under `outer` along one axis, or -1 outside the input and between its elements.
  std::int64_t pixel(int axis, std::int64_t from, std::int64_t k, std::int64_t outer) const {
    const std::int64_t at = from + (flip ? kernel[axis] - 1 - k : k) * dilation[axis];
    if (at < 0 || at % spread[axis] != 0 || at / spread[axis] >= in[axis]) return -1;
    return outer * in[axis] + at / spread[axis];
  }
};

// Rows of what positions [begin, begin + count) see of one group: [count, taps, group_channels].
void gather(const Context& ctx, const Geometry& g, const CpuTensor& x, std::int64_t begin,
            std::int64_t count, std::int64_t group, std::byte* rows) {
  const auto item = static_cast<std::int64_t>(x.dtype().size());
  const std::int64_t run = g.group_channels * item;
  const std::byte* from = x.bytes() + group * run;
  const std::int64_t grain = 1 + 65536 / (g.taps * run + 1);
  ctx.pool.parallel_for(count, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      std::byte* row = rows + i * g.taps * run;
      g.for_each_tap(begin + i, [&](std::int64_t tap, std::int64_t pixel) {
        if (pixel < 0) {
          std::memset(row + tap * run, 0, run);
        } else {
          std::memcpy(row + tap * run, from + pixel * g.channels * item, run);
        }
      });
    }
  });
}

void conv_by_products(const Context& ctx, const Geometry& g, const CpuTensor& x, const CpuTensor& w,
                      CpuTensor& y) {
  const auto item = static_cast<std::int64_t>(x.dtype().size());
  const auto w_item = static_cast<std::int64_t>(w.dtype().size());
  const auto y_item = static_cast<std::int64_t>(y.dtype().size());
  const std::int64_t depth = g.taps * g.group_channels;
  const auto multiply = [&](std::int64_t group, std::int64_t begin, std::int64_t count,
                            const std::byte* rows, std::int64_t row_stride) {
    isa::matmul(
        ctx.pool, count, g.group_outputs, depth, {rows, float_type(x.dtype()), row_stride, 1},
        {w.bytes() + group * g.group_outputs * depth * w_item, float_type(w.dtype()), 1, depth},
        {y.bytes() + (begin * g.outputs + group * g.group_outputs) * y_item, float_type(y.dtype()),
         g.outputs});
  };
  if (g.is_pointwise()) {
    for (std::int64_t group = 0; group < g.groups; ++group) {
      multiply(group, 0, g.positions, x.bytes() + group * g.group_channels * item, g.channels);
    }
    return;
  }
  const std::int64_t tile =
      std::min(g.positions, std::max<std::int64_t>(256, kTileBytes / (depth * item)));
  const CpuTensorPtr rows = ctx.make({Shape{tile, depth}, x.dtype()});
  for (std::int64_t begin = 0; begin < g.positions; begin += tile) {
    const std::int64_t count = std::min(tile, g.positions - begin);
    for (std::int64_t group = 0; group < g.groups; ++group) {
      gather(ctx, g, x, begin, count, group, rows->bytes());
      multiply(group, begin, count, rows->bytes(), depth);
    }
  }
}

// weights: [taps, group_channels, outputs], so that neighbouring outputs are adjacent.
template <class T>
void conv_directly(const Context& ctx, const Geometry& g, const T* x, const T* weights, T* y) {
  const std::int64_t depth = g.taps * g.group_channels;
  const std::int64_t grain = 1 + 16384 / (depth * g.outputs + 1);
  ctx.pool.parallel_for(g.positions, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t position = begin; position < end; ++position) {
      T* sums = y + position * g.outputs;
      std::fill(sums, sums + g.outputs, T(0));
      g.for_each_tap(position, [&](std::int64_t tap, std::int64_t pixel) {
        if (pixel < 0) return;
        const T* seen = x + pixel * g.channels;
        for (std::int64_t c = 0; c < g.group_channels; ++c) {
          const T* w = weights + (tap * g.group_channels + c) * g.outputs;
          if (g.group_outputs == 1) {
            for (std::int64_t o = 0; o < g.outputs; ++o) {
              sums[o] += seen[o * g.group_channels + c] * w[o];
            }
            continue;
          }
          for (std::int64_t group = 0; group < g.groups; ++group) {
            const T value = seen[group * g.group_channels + c];
            const std::int64_t first = group * g.group_outputs;
            for (std::int64_t o = first; o < first + g.group_outputs; ++o) sums[o] += value * w[o];
          }
        }
      });
    }
  });
}

// In T, float or double.
template <class T>
TensorPtr conv_in(Context& ctx, const Geometry& g, Inputs in, const TensorSpec& out) {
  constexpr Dtype dtype = dtype_of<T>;
  const CpuTensorPtr x = ctx.to_dtype(in[0], dtype);
  const CpuTensorPtr w = ctx.to_dtype(in[1], dtype);
  const std::int64_t depth = g.taps * g.group_channels;
  const CpuTensorPtr weights = ctx.make({Shape{depth, g.outputs}, dtype});
  copy_elements(ctx, *ctx.view(*w, weights->spec(), w->offset(), {1, depth}), *weights);
  CpuTensorPtr y = ctx.make({out.shape, dtype});
  conv_directly(ctx, g, x->data<T>(), weights->data<T>(), y->data<T>());
  return ctx.to_dtype(y, out.dtype);
}

TensorPtr conv_kernel(Context& ctx, const ConvGeneral& op, Inputs in, const TensorSpec& out) {
  const Geometry g(op, in[0]->shape(), in[1]->shape(), out.shape);
  if (out.dtype == float64) return conv_in<double>(ctx, g, in, out);
  if (g.group_channels <= 1) return conv_in<float>(ctx, g, in, out);
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  conv_by_products(ctx, g, *ctx.contiguous(in[0]), *ctx.contiguous(in[1]), *y);
  return y;
}

}  // namespace

void register_conv(KernelRegistry& table) {
  table.add<ConvGeneral, conv_kernel>();
}

}  // namespace tessera::cpu

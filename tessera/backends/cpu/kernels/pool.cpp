// Pooling: channels are contiguous, so every element of a window is a run of them.
#include <algorithm>
#include <limits>
#include <vector>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/pool.h"

namespace tessera::cpu {

namespace {

template <class T>
T lowest_of() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
}

// One window: the element it starts at per spatial axis (in the padding where negative).
struct Windows {
  const Pool& op;
  const Shape& in;   // [N, space..., C]
  const Shape& out;  // [N, windows..., C]
  Strides strides = row_major_strides(in);

  // Calls visit(offset) with where each element of the index-th window that is not padding lies.
  template <class Visit>
  void each(std::int64_t index, Visit visit) const {
    const std::size_t rank = op.window.size();
    Shape begin(rank), end(rank);
    for (std::size_t i = rank; i-- > 0;) {
      const std::int64_t start = index % out[i + 1] * op.stride[i] - op.padding[i];
      index /= out[i + 1];
      begin[i] = std::max<std::int64_t>(start, 0);
      end[i] = std::min(start + op.window[i], in[i + 1]);
      if (begin[i] >= end[i]) return;
    }
    Shape at = begin;
    for (;;) {
      std::int64_t offset = index * strides[0];
      for (std::size_t i = 0; i < rank; ++i) offset += at[i] * strides[i + 1];
      visit(offset);
      std::size_t axis = rank;
      while (axis > 0 && ++at[axis - 1] == end[axis - 1]) at[axis - 1] = begin[axis - 1], --axis;
      if (axis == 0) return;
    }
  }
};

TensorPtr pool_kernel(Context& ctx, const Pool& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr x = ctx.contiguous(in[0]);
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  const Windows windows{op, x->shape(), out.shape};
  const std::int64_t channels = out.shape.back();
  const std::int64_t count = num_elements(op.window);
  const bool mean = op.kind == Pool::Kind::mean;
  dispatch(out.dtype, [&]<class T>() {
    if constexpr (!is_complex<T>) {
      // Bytes for bool: a vector of bool has no runs.
      using Acc = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, Compute<T>>;
      const std::int64_t grain = 1 + 16384 / (channels * count);
      ctx.pool.parallel_for(y->size() / channels, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Acc> acc(channels);
        for (std::int64_t w = begin; w < end; ++w) {
          std::fill(acc.begin(), acc.end(), mean ? Acc(0) : lowest_of<Acc>());
          windows.each(w, [&](std::int64_t offset) {
            const T* from = x->template data<T>() + offset;
            for (std::int64_t c = 0; c < channels; ++c) {
              const Acc v = static_cast<Acc>(from[c]);
              if (mean) {
                acc[c] = static_cast<Acc>(acc[c] + v);
              } else {
                acc[c] = acc[c] != acc[c] || v < acc[c] ? acc[c] : v;
              }
            }
          });
          T* to = y->template data<T>() + w * channels;
          for (std::int64_t c = 0; c < channels; ++c) {
            to[c] =
                static_cast<T>(mean ? static_cast<Acc>(acc[c] / static_cast<Acc>(count)) : acc[c]);
          }
        }
      });
    }
  });
  return y;
}

TensorPtr mean_pool_kernel(Context& ctx, const MeanPool&, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr x = ctx.contiguous(in[0]);
  const CpuTensorPtr mask = ctx.contiguous(in[1]);
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  const std::int64_t tokens = x->shape()[1];
  const std::int64_t width = x->shape()[2];
  constexpr std::int64_t kStrip = 256;
  const std::int64_t strips = (width + kStrip - 1) / kStrip;
  const std::int64_t strip_size = std::max<std::int64_t>(1, tokens) * std::min(width, kStrip);
  dispatch_floating(out.dtype, [&]<class T>() {
    using Acc = Compute<T>;
    ctx.pool.parallel_for(
        out.shape[0] * strips, 1 + 16384 / strip_size, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t s = begin; s < end; ++s) {
            const std::int64_t row = s / strips;
            const std::int64_t column = s % strips * kStrip;
            const std::int64_t n = std::min(kStrip, width - column);
            const bool* keep = mask->template data<bool>() + row * tokens;
            const T* from = x->template data<T>() + row * tokens * width + column;
            Acc acc[kStrip] = {};
            std::int64_t count = 0;
            for (std::int64_t t = 0; t < tokens; ++t, from += width) {
              if (!keep[t]) continue;
              ++count;
              for (std::int64_t i = 0; i < n; ++i) acc[i] += static_cast<Acc>(from[i]);
            }
            const Acc divisor = static_cast<Acc>(std::max<std::int64_t>(1, count));
            T* to = y->template data<T>() + row * width + column;
            for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(acc[i] / divisor);
          }
        });
  });
  return y;
}

}  // namespace

void register_pool(KernelRegistry& table) {
  table.add<MeanPool, mean_pool_kernel>();
  table.add<Pool, pool_kernel>();
}

}  // namespace tessera::cpu

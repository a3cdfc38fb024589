// One loop for all elementwise kernels of one input, whatever the layout.
#pragma once

#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/lines.h"
#include "tessera/backends/cpu/strided.h"

namespace tessera::cpu {

template <class T, class Out, class Fn>
void apply_line(Line<T> x, Out* y, std::int64_t count, Fn fn) {
  if (x.step == 1) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(x.values[i]));
  } else {
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(x.values[i * x.step]));
  }
}

/// out[i] = fn(in[0][i]), T to Out, computed in Compute<T>; in place when the input allows.
template <class T, class Out, class Fn>
TensorPtr map(Context& ctx, Inputs in, const TensorSpec& out, Fn fn) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = std::is_same_v<T, Out> ? ctx.reuse_or_make(in, 0, out) : ctx.make(out);
  const LoopPlan<2> plan(out.shape, {y->strides(), x.strides()});
  const T* src = x.data<T>();
  Out* dst = y->data<Out>();
  plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
    const T* s = src + offset[1];
    by_lines<is_half<T>>(dst + offset[0], count, [&](std::int64_t at, std::int64_t n, auto* to) {
      LineBuffer<T> wide;
      apply_line(line(s + at * step[1], step[1], n, wide), to, n, fn);
    });
  });
  return y;
}

}  // namespace tessera::cpu

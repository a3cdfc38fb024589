// GELU, SiLU and their gated forms: float32 inside, a block at a time so that it stays in cache.
#include <algorithm>

#include "tessera/backends/cpu/isa/vector_math.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/activation.h"

namespace tessera::cpu {

namespace {

using VectorFn = void (*)(const float* x, float* y, std::int64_t n);

constexpr std::int64_t kBlock = 512;

template <class T>
void widen(const T* from, std::int64_t step, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i * step]);
}

// y = fn(gate) or, with an `up` operand, fn(gate) * up.
TensorPtr activate(Context& ctx, Inputs in, const TensorSpec& out, VectorFn fn) {
  const CpuTensor& gate = as_cpu(in[0]);
  const CpuTensor& up = as_cpu(in[in.size() - 1]);
  const bool gated = in.size() > 1;
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  const LoopPlan<3> plan(out.shape,
                         {y->strides(), broadcast_strides(gate.shape(), gate.strides(), out.shape),
                          broadcast_strides(up.shape(), up.strides(), out.shape)});
  dispatch_floating(out.dtype, [&]<class T>() {
    plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
      float activated[kBlock];
      float factor[kBlock];
      for (std::int64_t at = 0; at < count; at += kBlock) {
        const std::int64_t n = std::min(kBlock, count - at);
        widen(gate.data<T>() + offset[1] + at * step[1], step[1], activated, n);
        fn(activated, activated, n);
        if (gated) {
          widen(up.data<T>() + offset[2] + at * step[2], step[2], factor, n);
          for (std::int64_t i = 0; i < n; ++i) activated[i] *= factor[i];
        }
        T* d = y->template data<T>() + offset[0] + at * step[0];
        for (std::int64_t i = 0; i < n; ++i) d[i * step[0]] = static_cast<T>(activated[i]);
      }
    });
  });
  return y;
}

TensorPtr silu_kernel(Context& ctx, const Silu&, Inputs in, const TensorSpec& out) {
  return activate(ctx, in, out, isa::vec_silu);
}
TensorPtr swiglu_kernel(Context& ctx, const Swiglu&, Inputs in, const TensorSpec& out) {
  return activate(ctx, in, out, isa::vec_silu);
}
TensorPtr gelu_kernel(Context& ctx, const Gelu& op, Inputs in, const TensorSpec& out) {
  return activate(ctx, in, out, op.tanh_approximation ? isa::vec_gelu_tanh : isa::vec_gelu);
}
TensorPtr geglu_kernel(Context& ctx, const Geglu& op, Inputs in, const TensorSpec& out) {
  return activate(ctx, in, out, op.tanh_approximation ? isa::vec_gelu_tanh : isa::vec_gelu);
}

}  // namespace

void register_activation(KernelRegistry& table) {
  table.add<Silu, silu_kernel>();
  table.add<Gelu, gelu_kernel>();
  table.add<Swiglu, swiglu_kernel>();
  table.add<Geglu, geglu_kernel>();
}

}  // namespace tessera::cpu

// GELU, SiLU and their gated forms, in float.
#include <cmath>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/activation.h"

namespace tessera::cpu {

namespace {

struct SiluFn {
  float operator()(float x) const { return x / (1.0f + std::exp(-x)); }
};
struct GeluFn {
  float operator()(float x) const { return 0.5f * x * (1.0f + std::erf(x * 0.70710678f)); }
};
struct GeluTanhFn {
  float operator()(float x) const {
    return 0.5f * x * (1.0f + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
};

template <class Fn>
TensorPtr activate(Context& ctx, Inputs in, const TensorSpec& out, Fn fn) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  const LoopPlan<2> plan(out.shape, {y->strides(), x.strides()});
  dispatch_floating(out.dtype, [&]<class T>() {
    plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
      T* d = y->template data<T>() + offset[0];
      const T* s = x.data<T>() + offset[1];
      for (std::int64_t i = 0; i < count; ++i) {
        d[i * step[0]] = static_cast<T>(fn(static_cast<float>(s[i * step[1]])));
      }
    });
  });
  return y;
}

template <class Fn>
TensorPtr gated(Context& ctx, Inputs in, const TensorSpec& out, Fn fn) {
  const CpuTensor& gate = as_cpu(in[0]);
  const CpuTensor& up = as_cpu(in[1]);
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  const LoopPlan<3> plan(out.shape,
                         {y->strides(), broadcast_strides(gate.shape(), gate.strides(), out.shape),
                          broadcast_strides(up.shape(), up.strides(), out.shape)});
  dispatch_floating(out.dtype, [&]<class T>() {
    plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
      T* d = y->template data<T>() + offset[0];
      const T* g = gate.data<T>() + offset[1];
      const T* u = up.data<T>() + offset[2];
      for (std::int64_t i = 0; i < count; ++i) {
        d[i * step[0]] = static_cast<T>(fn(static_cast<float>(g[i * step[1]])) *
                                        static_cast<float>(u[i * step[2]]));
      }
    });
  });
  return y;
}

TensorPtr silu_kernel(Context& ctx, const Silu&, Inputs in, const TensorSpec& out) {
  return activate(ctx, in, out, SiluFn{});
}
TensorPtr gelu_kernel(Context& ctx, const Gelu& op, Inputs in, const TensorSpec& out) {
  return op.tanh_approximation ? activate(ctx, in, out, GeluTanhFn{})
                               : activate(ctx, in, out, GeluFn{});
}
TensorPtr swiglu_kernel(Context& ctx, const Swiglu&, Inputs in, const TensorSpec& out) {
  return gated(ctx, in, out, SiluFn{});
}
TensorPtr geglu_kernel(Context& ctx, const Geglu& op, Inputs in, const TensorSpec& out) {
  return op.tanh_approximation ? gated(ctx, in, out, GeluTanhFn{}) : gated(ctx, in, out, GeluFn{});
}

}  // namespace

void register_activation(KernelRegistry& table) {
  table.add<Silu, silu_kernel>();
  table.add<Gelu, gelu_kernel>();
  table.add<Swiglu, swiglu_kernel>();
  table.add<Geglu, geglu_kernel>();
}

}  // namespace tessera::cpu

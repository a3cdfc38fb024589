// Elementwise kernels of one input.
#include <cmath>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/unary.h"

namespace tessera::cpu {

namespace {

// Each functor takes and gives a computed type: float for halves, the type itself otherwise.
struct ExpFn {
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};
struct LogFn {
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};
struct SinFn {
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};
struct CosFn {
  template <class T>
  T operator()(T x) const {
    return std::cos(x);
  }
};
struct SqrtFn {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct TanhFn {
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};
struct ErfFn {
  template <class T>
  T operator()(T x) const {
    return std::erf(x);
  }
};
struct RsqrtFn {
  template <class T>
  T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};
struct ReciprocalFn {
  template <class T>
  T operator()(T x) const {
    return T(1) / x;
  }
};
struct SigmoidFn {
  template <class T>
  T operator()(T x) const {
    return T(1) / (T(1) + std::exp(-x));
  }
};
struct NegativeFn {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(0u - static_cast<Wrapping<T>>(x));
    else
      return -x;
  }
};
struct SquareFn {
  template <class T>
  T operator()(T x) const {
    const auto w = static_cast<Wrapping<T>>(x);
    return static_cast<T>(w * w);
  }
};
struct FloorFn {
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
};
struct CeilFn {
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
};
struct AbsFn {
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex<T> || std::is_floating_point_v<T>)
      return std::abs(x);
    else if constexpr (std::is_signed_v<T>)
      return x < 0 ? NegativeFn{}(x) : x;
    else
      return x;
  }
};

template <class T, class Out, class Fn>
TensorPtr map(Context& ctx, Inputs in, const TensorSpec& out, Fn fn) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = std::is_same_v<T, Out> ? ctx.reuse_or_make(in, 0, out) : ctx.make(out);
  const LoopPlan<2> plan(out.shape, {y->strides(), x.strides()});
  const T* src = x.data<T>();
  Out* dst = y->data<Out>();
  plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
    const T* s = src + offset[1];
    Out* d = dst + offset[0];
    for (std::int64_t i = 0; i < count; ++i) {
      d[i * step[0]] = static_cast<Out>(fn(static_cast<Compute<T>>(s[i * step[1]])));
    }
  });
  return y;
}

template <class Op, class Fn>
TensorPtr floating(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  return dispatch_floating(out.dtype, [&]<class T>() { return map<T, T>(ctx, in, out, Fn{}); });
}

template <class Op, class Fn>
TensorPtr any(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  return dispatch(out.dtype, [&]<class T>() -> TensorPtr {
    if constexpr (std::is_same_v<T, bool>) {
      return map<T, T>(ctx, in, out, [](bool x) { return x; });  // |x| and x*x of a bool
    } else {
      return map<T, T>(ctx, in, out, Fn{});
    }
  });
}

// Integers and bool are whole already.
template <class Op, class Fn>
TensorPtr rounding(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  if (!is_floating(out.dtype)) return in[0];
  return dispatch_floating(out.dtype, [&]<class T>() { return map<T, T>(ctx, in, out, Fn{}); });
}

TensorPtr logical_not_kernel(Context& ctx, const LogicalNot&, Inputs in, const TensorSpec& out) {
  return dispatch(in[0]->dtype(), [&]<class T>() {
    return map<T, bool>(ctx, in, out, [](Compute<T> x) { return x == Compute<T>(0); });
  });
}

}  // namespace

void register_unary(KernelRegistry& table) {
  table.add<Exp, floating<Exp, ExpFn>>();
  table.add<Log, floating<Log, LogFn>>();
  table.add<Sin, floating<Sin, SinFn>>();
  table.add<Cos, floating<Cos, CosFn>>();
  table.add<Sqrt, floating<Sqrt, SqrtFn>>();
  table.add<Tanh, floating<Tanh, TanhFn>>();
  table.add<Erf, floating<Erf, ErfFn>>();
  table.add<Rsqrt, floating<Rsqrt, RsqrtFn>>();
  table.add<Reciprocal, floating<Reciprocal, ReciprocalFn>>();
  table.add<Sigmoid, floating<Sigmoid, SigmoidFn>>();
  table.add<Negative, any<Negative, NegativeFn>>();
  table.add<Square, any<Square, SquareFn>>();
  table.add<Abs, any<Abs, AbsFn>>();
  table.add<Floor, rounding<Floor, FloorFn>>();
  table.add<Ceil, rounding<Ceil, CeilFn>>();
  table.add<LogicalNot, logical_not_kernel>();
}

}  // namespace tessera::cpu

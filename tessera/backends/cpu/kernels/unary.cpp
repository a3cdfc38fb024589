// Elementwise kernels of one input.
#include <cmath>
#include <limits>
#include <numbers>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/lines.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/exponential.h"
#include "tessera/ops/rounding.h"
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
template <class T>
T inverse_erf(T x) {
  if (std::abs(x) == T(1)) return x * std::numeric_limits<T>::infinity();
  const T w = -std::log((T(1) - x) * (T(1) + x));
  const bool centre = w < T(5);
  const T at = centre ? w - T(2.5) : std::sqrt(w) - T(3);
  T p = 0;
  for (double c : centre ? ErfInv::kCentre : ErfInv::kTail) p = p * at + T(c);
  return p * x;
}
struct ErfInvFn {
  float operator()(float x) const { return inverse_erf(x); }
  double operator()(double x) const {
    const double size = std::abs(x);
    double y = inverse_erf(size);
    if (!std::isfinite(y)) return std::copysign(y, x);
    // Newton's steps; each branch subtracts numbers whose difference is exact where it is small.
    for (int step = 0; step < 2; ++step) {
      const double error = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
      y -= error * std::exp(y * y) * (0.5 * std::sqrt(std::numbers::pi));
    }
    return std::copysign(y, x);
  }
};
struct Log1pFn {
  template <class T>
  T operator()(T x) const {
    return std::log1p(x);
  }
};
struct Expm1Fn {
  template <class T>
  T operator()(T x) const {
    return std::expm1(x);
  }
};
struct Log2Fn {
  template <class T>
  T operator()(T x) const {
    return std::log2(x);
  }
};
struct Log10Fn {
  template <class T>
  T operator()(T x) const {
    return std::log10(x);
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
struct RoundFn {
  template <class T>
  T operator()(T x) const {
    return std::nearbyint(x);
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
void apply(Line<T> x, Out* y, std::int64_t count, Fn fn) {
  if (x.step == 1) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(x.values[i]));
  } else {
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(x.values[i * x.step]));
  }
}

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
      apply(line(s + at * step[1], step[1], n, wide), to, n, fn);
    });
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

TensorPtr abs_kernel(Context& ctx, const Abs& op, Inputs in, const TensorSpec& out) {
  if (in[0]->dtype() != complex64) return any<Abs, AbsFn>(ctx, op, in, out);
  return map<complex64_t, float>(ctx, in, out, [](complex64_t x) { return std::abs(x); });
}

TensorPtr imag_kernel(Context& ctx, const Imag&, Inputs in, const TensorSpec& out) {
  return map<complex64_t, float>(ctx, in, out, [](complex64_t x) { return x.imag(); });
}

// Integers and bool are whole already.
template <class Op, class Fn>
TensorPtr rounding(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  if (!is_floating(out.dtype)) return in[0];
  return dispatch_floating(out.dtype, [&]<class T>() { return map<T, T>(ctx, in, out, Fn{}); });
}

TensorPtr bitwise_invert_kernel(Context& ctx, const BitwiseInvert&, Inputs in,
                                const TensorSpec& out) {
  return dispatch(out.dtype, [&]<class T>() -> TensorPtr {
    if constexpr (std::is_same_v<T, bool>) {
      return map<T, T>(ctx, in, out, [](bool x) { return !x; });
    } else if constexpr (std::is_integral_v<T>) {
      return map<T, T>(ctx, in, out, [](T x) { return static_cast<T>(~x); });
    } else {
      return in[0];  // the op's rule has refused these
    }
  });
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
  table.add<ErfInv, floating<ErfInv, ErfInvFn>>();
  table.add<Log1p, floating<Log1p, Log1pFn>>();
  table.add<Expm1, floating<Expm1, Expm1Fn>>();
  table.add<Log2, floating<Log2, Log2Fn>>();
  table.add<Log10, floating<Log10, Log10Fn>>();
  table.add<Rsqrt, floating<Rsqrt, RsqrtFn>>();
  table.add<Reciprocal, floating<Reciprocal, ReciprocalFn>>();
  table.add<Sigmoid, floating<Sigmoid, SigmoidFn>>();
  table.add<Negative, any<Negative, NegativeFn>>();
  table.add<Square, any<Square, SquareFn>>();
  table.add<Abs, abs_kernel>();
  table.add<Imag, imag_kernel>();
  table.add<Floor, rounding<Floor, FloorFn>>();
  table.add<Ceil, rounding<Ceil, CeilFn>>();
  table.add<Round, rounding<Round, RoundFn>>();
  table.add<BitwiseInvert, bitwise_invert_kernel>();
  table.add<LogicalNot, logical_not_kernel>();
}

}  // namespace tessera::cpu

// Elementwise kernels of two broadcast inputs.
#include <cmath>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/lines.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/rounding.h"
#include "tessera/ops/trigonometry.h"

namespace tessera::cpu {

namespace {

// Integers wrap, as in MLX; bool adds to 0, 1 or more.
template <class T, class Fn>
T wrapping(T a, T b, Fn fn) {
  if constexpr (std::is_same_v<T, bool>) {
    return fn(int(a), int(b)) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(fn(static_cast<Wrapping<T>>(a), static_cast<Wrapping<T>>(b)));
  } else {
    return fn(a, b);
  }
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

template <class T>
bool before(T a, T b) {
  if constexpr (is_complex<T>) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  } else {
    return a < b;
  }
}

// A functor takes and gives the type that is computed in. kSignless: the sign of its integers
// changes no bit of the result, so that both kinds share a loop.
struct AddFn {
  static constexpr bool kSignless = true;
  template <class T>
  T operator()(T a, T b) const {
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
  }
};
struct SubtractFn {
  static constexpr bool kSignless = true;
  template <class T>
  T operator()(T a, T b) const {
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
  }
};
struct MultiplyFn {
  static constexpr bool kSignless = true;
  template <class T>
  T operator()(T a, T b) const {
    return wrapping(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct DivideFn {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      if (b == T(0)) return T(0);
      // The least integer over -1 leaves the range, and traps.
      if (b == static_cast<T>(-1) && std::is_signed_v<T>) return SubtractFn{}(T(0), a);
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  }
};
struct RemainderFn {
  template <std::integral T>
  requires(!std::same_as<T, bool>) T operator()(T a, T b) const {
    if (b == T(0)) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return T(0);  // the least one would trap
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
  template <std::floating_point T>
  T operator()(T a, T b) const {
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};
struct ArcTan2Fn {
  template <std::floating_point T>
  T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};
struct MaximumFn {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) || before(b, a) ? a : b;
  }
};
struct MinimumFn {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) || before(a, b) ? a : b;
  }
};
struct PowerFn {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || !b;
    } else if constexpr (std::is_integral_v<T>) {
      if (b < T(0)) return a == T(1) ? T(1) : T(0);
      T result = 1;
      for (; b != 0; b = static_cast<T>(b >> 1)) {
        if (b & 1) result = MultiplyFn{}(result, a);
        a = MultiplyFn{}(a, a);
      }
      return result;
    } else {
      return std::pow(a, b);
    }
  }
};
struct BitwiseAndFn {
  static constexpr bool kSignless = true;
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitwiseOrFn {
  static constexpr bool kSignless = true;
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitwiseXorFn {
  static constexpr bool kSignless = true;
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
// Shifts by a negative distance or past the width, which the language leaves open, move every bit
// out.
template <class T>
bool shifts_out(T distance) {
  return static_cast<std::make_unsigned_t<T>>(distance) >= 8 * sizeof(T);
}
struct LeftShiftFn {
  static constexpr bool kSignless = true;
  template <std::integral T>
  requires(!std::same_as<T, bool>) T operator()(T a, T b) const {
    return shifts_out(b) ? T(0) : static_cast<T>(static_cast<Wrapping<T>>(a) << b);
  }
};
struct RightShiftFn {
  template <std::integral T>
  requires(!std::same_as<T, bool>) T operator()(T a, T b) const {
    if (shifts_out(b)) return a < T(0) ? static_cast<T>(-1) : T(0);
    return static_cast<T>(a >> b);
  }
};
struct EqualFn {
  static constexpr bool kSignless = true;
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct NotEqualFn {
  static constexpr bool kSignless = true;
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct LessFn {
  template <class T>
  bool operator()(T a, T b) const {
    return before(a, b);
  }
};
struct LessEqualFn {
  template <class T>
  bool operator()(T a, T b) const {
    return before(a, b) || a == b;
  }
};
struct GreaterFn {
  template <class T>
  bool operator()(T a, T b) const {
    return before(b, a);
  }
};
struct GreaterEqualFn {
  template <class T>
  bool operator()(T a, T b) const {
    return before(b, a) || a == b;
  }
};
struct AndFn {
  static constexpr bool kSignless = true;
  template <class T>
  bool operator()(T a, T b) const {
    return a != T(0) && b != T(0);
  }
};
struct OrFn {
  static constexpr bool kSignless = true;
  template <class T>
  bool operator()(T a, T b) const {
    return a != T(0) || b != T(0);
  }
};

template <class T>
struct UnsignedOf {
  using type = T;
};
template <std::integral T>
requires(!std::same_as<T, bool>) struct UnsignedOf<T> {
  using type = std::make_unsigned_t<T>;
};
// The type whose loop serves T.
template <class Fn, class T>
using LoopType = std::conditional_t < requires {
  Fn::kSignless;
}
, typename UnsignedOf<T>::type, T > ;

// The layouts that the compiler vectorises, and the rest.
template <class T, class Out, class Fn>
void combine(Line<T> a, Line<T> b, Out* y, std::int64_t count, Fn fn) {
  const T* s = a.values;
  const T* t = b.values;
  if (a.step == 1 && b.step == 1) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(s[i], t[i]));
  } else if (a.step == 1 && b.step == 0) {
    const T v = *t;
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(s[i], v));
  } else if (a.step == 0 && b.step == 1) {
    const T u = *s;
    for (std::int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(fn(u, t[i]));
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      y[i] = static_cast<Out>(fn(s[i * a.step], t[i * b.step]));
    }
  }
}

// y is contiguous.
template <class T, class Out, class Fn>
void loop(Context& ctx, const CpuTensor& a, const CpuTensor& b, CpuTensor& y, Fn fn) {
  const Shape& shape = y.shape();
  const LoopPlan<3> plan(shape, {y.strides(), broadcast_strides(a.shape(), a.strides(), shape),
                                 broadcast_strides(b.shape(), b.strides(), shape)});
  const T* pa = a.data<T>();
  const T* pb = b.data<T>();
  Out* py = y.data<Out>();
  plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
    const T* s = pa + offset[1];
    const T* t = pb + offset[2];
    by_lines<is_half<T>>(py + offset[0], count, [&](std::int64_t at, std::int64_t n, auto* to) {
      LineBuffer<T> wide_s;
      LineBuffer<T> wide_t;
      combine(line(s + at * step[1], step[1], n, wide_s),
              line(t + at * step[2], step[2], n, wide_t), to, n, fn);
    });
  });
}

template <class Op, class Fn>
TensorPtr arithmetic(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  if (y != in[0]) y = ctx.reuse_or_make(in, 1, out);
  dispatch(out.dtype, [&]<class T>() {
    using U = LoopType<Fn, T>;
    loop<U, U>(ctx, as_cpu(in[0]), as_cpu(in[1]), *y, Fn{});
  });
  return y;
}

// For functors that take some dtypes only; the op's rule has refused the others.
template <class Op, class Fn>
TensorPtr partial(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  if (y != in[0]) y = ctx.reuse_or_make(in, 1, out);
  dispatch(out.dtype, [&]<class T>() {
    using U = LoopType<Fn, T>;
    if constexpr (std::is_invocable_v<Fn, Compute<U>, Compute<U>>) {
      loop<U, U>(ctx, as_cpu(in[0]), as_cpu(in[1]), *y, Fn{});
    }
  });
  return y;
}

template <class Op, class Fn>
TensorPtr comparison(Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  CpuTensorPtr y = ctx.make(out);
  dispatch(in[0]->dtype(), [&]<class T>() {
    loop<LoopType<Fn, T>, bool>(ctx, as_cpu(in[0]), as_cpu(in[1]), *y, Fn{});
  });
  return y;
}

}  // namespace

void register_binary(KernelRegistry& table) {
  table.add<Add, arithmetic<Add, AddFn>>();
  table.add<Subtract, arithmetic<Subtract, SubtractFn>>();
  table.add<Multiply, arithmetic<Multiply, MultiplyFn>>();
  table.add<Divide, arithmetic<Divide, DivideFn>>();
  table.add<Maximum, arithmetic<Maximum, MaximumFn>>();
  table.add<Minimum, arithmetic<Minimum, MinimumFn>>();
  table.add<Power, arithmetic<Power, PowerFn>>();
  table.add<Remainder, partial<Remainder, RemainderFn>>();
  table.add<ArcTan2, partial<ArcTan2, ArcTan2Fn>>();
  table.add<BitwiseAnd, partial<BitwiseAnd, BitwiseAndFn>>();
  table.add<BitwiseOr, partial<BitwiseOr, BitwiseOrFn>>();
  table.add<BitwiseXor, partial<BitwiseXor, BitwiseXorFn>>();
  table.add<LeftShift, partial<LeftShift, LeftShiftFn>>();
  table.add<RightShift, partial<RightShift, RightShiftFn>>();
  table.add<Equal, comparison<Equal, EqualFn>>();
  table.add<NotEqual, comparison<NotEqual, NotEqualFn>>();
  table.add<Less, comparison<Less, LessFn>>();
  table.add<LessEqual, comparison<LessEqual, LessEqualFn>>();
  table.add<Greater, comparison<Greater, GreaterFn>>();
  table.add<GreaterEqual, comparison<GreaterEqual, GreaterEqualFn>>();
  table.add<LogicalAnd, comparison<LogicalAnd, AndFn>>();
  table.add<LogicalOr, comparison<LogicalOr, OrFn>>();
}

}  // namespace tessera::cpu

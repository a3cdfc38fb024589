// Elementwise ops: one loop for functions of one element, one for functions of two.
#include <tessera/ops/activation.h>
#include <tessera/ops/binary.h>
#include <tessera/ops/bitwise.h>
#include <tessera/ops/unary.h>

#include <cmath>
#include <concepts>

#include "tensor.h"

namespace my_backend {

namespace {

// y = fn(x), the result of fn converted to the output's type.
template <class T, class Out, class Fn>
TensorPtr map(const Context& ctx, Inputs in, const TensorSpec& out, Fn fn) {
  const DensePtr y = ctx.make(out);
  const T* x = dense(in[0]).data<T>();
  for (std::int64_t i = 0; i < y->size(); ++i) {
    y->data<Out>()[i] = static_cast<Out>(fn(static_cast<Compute<T>>(x[i])));
  }
  return y;
}

// For the ops whose rule lets floating types (and, where it means something, complex ones) through.
template <class Op, auto fn>
TensorPtr floating(const Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  return dispatch(out.dtype, [&]<class T>() -> TensorPtr {
    if constexpr (std::is_invocable_v<decltype(fn), Compute<T>> && !std::integral<T>) {
      return map<T, T>(ctx, in, out, fn);
    } else {
      return in[0];  // floor and ceil: whole already
    }
  });
}

constexpr auto kExp = [](auto x) { return std::exp(x); };
constexpr auto kLog = [](auto x) { return std::log(x); };
constexpr auto kSin = [](auto x) { return std::sin(x); };
constexpr auto kCos = [](auto x) { return std::cos(x); };
constexpr auto kFloor = [](std::floating_point auto x) { return std::floor(x); };
constexpr auto kCeil = [](std::floating_point auto x) { return std::ceil(x); };

TensorPtr do_gelu(const Context& ctx, const Gelu& op, Inputs in, const TensorSpec& out) {
  return dispatch(out.dtype, [&]<class T>() -> TensorPtr {
    return map<T, T>(ctx, in, out, [&](auto value) {
      if constexpr (is_complex<T>) {
        return value;  // refused by the op's rule
      } else {
        const auto x = static_cast<double>(value);
        return op.tanh_approximation
                   ? x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
                   : x / 2 * (1 + std::erf(x * 0.7071067811865476));
      }
    });
  });
}

TensorPtr do_invert(const Context& ctx, const BitwiseInvert&, Inputs in, const TensorSpec& out) {
  return dispatch(out.dtype, [&]<class T>() -> TensorPtr {
    if constexpr (std::is_same_v<T, bool>) {
      return map<T, T>(ctx, in, out, [](bool x) { return !x; });
    } else if constexpr (std::integral<T>) {
      return map<T, T>(ctx, in, out, [](T x) { return ~x; });
    } else {
      return in[0];  // refused by the op's rule
    }
  });
}

// y = fn(a, b), both broadcast to the output's shape; the element type is that of the inputs.
template <class Op, class Fn>
TensorPtr binary(const Context& ctx, const Op&, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  const Strides b_strides = strides_for(in[1]->shape(), out.shape);
  std::vector<std::int64_t> b_at(y->size());
  walk(out.shape, 0, b_strides, [&](std::int64_t i, std::int64_t at) { b_at[i] = at; });
  dispatch(in[0]->dtype(), [&]<class T>() {
    using C = Compute<T>;
    if constexpr (std::is_invocable_v<Fn, C, C>) {
      using Out = std::conditional_t<std::is_base_of_v<detail::Comparison<Op>, Op>, bool, T>;
      const T* a = dense(in[0]).data<T>();
      const T* b = dense(in[1]).data<T>();
      walk(out.shape, 0, strides_for(in[0]->shape(), out.shape),
           [&](std::int64_t i, std::int64_t at) {
             y->data<Out>()[i] =
                 static_cast<Out>(Fn{}(static_cast<C>(a[at]), static_cast<C>(b[b_at[i]])));
           });
    }
  });
  return y;
}

// Signed overflow is undefined in C++ and wraps in the contract.
template <class T>
auto wrapping(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return static_cast<int>(x);
  else if constexpr (std::integral<T>)
    return static_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(x);
  else
    return x;
}

// Complex numbers are ordered by their real parts, then by the imaginary ones.
template <class T>
bool before(T a, T b) {
  if constexpr (is_complex<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}

struct AddFn {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
};
struct SubtractFn {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(wrapping(a) - wrapping(b));
  }
};
struct MultiplyFn {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
};
struct DivideFn {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::integral<T>)
      return b == T(0) ? T(0) : static_cast<T>(a / b);
    else
      return a / b;
  }
};
struct MaximumFn {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || before(b, a) ? a : b;  // NaN wins
  }
};
struct MinimumFn {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || before(a, b) ? a : b;
  }
};
struct PowerFn {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>) {
      return a || !b;
    } else if constexpr (std::integral<T>) {
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
struct LessEqualFn {
  template <class T>
  bool operator()(T a, T b) const {
    return before(a, b) || a == b;
  }
};
struct AndFn {
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct OrFn {
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct XorFn {
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
// A distance below 0 or past the width moves every bit out.
template <class T>
bool shifts_out(T distance) {
  return distance < T(0) || static_cast<std::uint64_t>(distance) >= 8 * sizeof(T);
}
struct LeftShiftFn {
  template <std::integral T>
  T operator()(T a, T b) const {
    return shifts_out(b) ? T(0) : static_cast<T>(wrapping(a) << b);
  }
};
struct RightShiftFn {
  template <std::integral T>
  T operator()(T a, T b) const {
    if (shifts_out(b)) return static_cast<T>(a < T(0) ? -1 : 0);
    return static_cast<T>(a >> b);
  }
};

}  // namespace

void add_elementwise(Kernels& kernels) {
  add<Exp, floating<Exp, kExp>>(kernels);
  add<Log, floating<Log, kLog>>(kernels);
  add<Sin, floating<Sin, kSin>>(kernels);
  add<Cos, floating<Cos, kCos>>(kernels);
  add<Floor, floating<Floor, kFloor>>(kernels);
  add<Ceil, floating<Ceil, kCeil>>(kernels);
  add<Gelu, do_gelu>(kernels);
  add<BitwiseInvert, do_invert>(kernels);
  add<Add, binary<Add, AddFn>>(kernels);
  add<Subtract, binary<Subtract, SubtractFn>>(kernels);
  add<Multiply, binary<Multiply, MultiplyFn>>(kernels);
  add<Divide, binary<Divide, DivideFn>>(kernels);
  add<Maximum, binary<Maximum, MaximumFn>>(kernels);
  add<Minimum, binary<Minimum, MinimumFn>>(kernels);
  add<Power, binary<Power, PowerFn>>(kernels);
  add<LessEqual, binary<LessEqual, LessEqualFn>>(kernels);
  add<BitwiseAnd, binary<BitwiseAnd, AndFn>>(kernels);
  add<BitwiseOr, binary<BitwiseOr, OrFn>>(kernels);
  add<BitwiseXor, binary<BitwiseXor, XorFn>>(kernels);
  add<LeftShift, binary<LeftShift, LeftShiftFn>>(kernels);
  add<RightShift, binary<RightShift, RightShiftFn>>(kernels);
}

}  // namespace my_backend

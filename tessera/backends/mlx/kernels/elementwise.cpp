// Elementwise ops: MLX's own, but where the contract says more than MLX does.
#include <mlx/ops.h>

#include <limits>

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/activation.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/exponential.h"
#include "tessera/ops/index.h"
#include "tessera/ops/rounding.h"
#include "tessera/ops/trigonometry.h"

namespace tessera::mlx_backend {

namespace {

using Unary = mx::array (*)(const mx::array&, mx::StreamOrDevice);
using Binary = mx::array (*)(const mx::array&, const mx::array&, mx::StreamOrDevice);

template <class Op, Unary fn>
mx::array unary(Call& call, const Op&) {
  return fn(call.in[0], call.stream);
}
// In float32 for half types, whose polynomials MLX's CPU would round at every step.
template <class Op, Unary fn>
mx::array wide_unary(Call& call, const Op&) {
  return call.result(fn(call.wide(call.in[0]), call.stream));
}
template <class Op, Binary fn>
mx::array binary(Call& call, const Op&) {
  return fn(call.in[0], call.in[1], call.stream);
}

template <class Op, Binary fn>
mx::array wide_binary(Call& call, const Op&) {
  return call.result(fn(call.wide(call.in[0]), call.wide(call.in[1]), call.stream));
}

// Whole numbers and bool are what they are.
template <class Op, Unary fn>
mx::array rounding(Call& call, const Op&) {
  return is_floating(call.out.dtype) ? fn(call.in[0], call.stream) : call.in[0];
}

// Integers divide towards zero, and by 0 give 0; MLX would go to float32. By -1 they are negated:
// the processor cannot divide the least one.
mx::array divide(Call& call, const Divide&) {
  const mx::array& a = call.in[0];
  const mx::array& b = call.in[1];
  if (call.out.dtype == bool_) return mx::logical_and(a, b, call.stream);
  if (!is_integer(call.out.dtype)) return mx::divide(a, b, call.stream);
  const mx::array zero(0, call.out_dtype());
  const mx::array one(1, call.out_dtype());
  const mx::array by_zero = mx::equal(b, zero, call.stream);
  mx::array special = by_zero;
  mx::array value = zero;
  if (issubdtype(call.out.dtype, Dtype::Category::signedinteger)) {
    const mx::array negates = mx::equal(b, mx::array(-1, call.out_dtype()), call.stream);
    special = mx::logical_or(by_zero, negates, call.stream);
    value = mx::where(negates, mx::negative(a, call.stream), zero, call.stream);
  }
  const mx::array quotient =
      mx::floor_divide(a, mx::where(special, one, b, call.stream), call.stream);
  return call.result(mx::where(special, value, quotient, call.stream));
}

// MLX divides integers by 0.
bool takes_remainder(const Remainder&, std::span<const TensorPtr> in, bool) {
  return is_floating(in[0]->dtype());
}

mx::array round_to_even(const mx::array& x, mx::StreamOrDevice s) {
  return mx::round(x, 0, s);
}

// A negative exponent gives 0, but of 1; MLX's loop would not end.
mx::array power(Call& call, const Power&) {
  const mx::array& a = call.in[0];
  const mx::array& b = call.in[1];
  if (!issubdtype(call.out.dtype, Dtype::Category::signedinteger)) {
    return mx::power(a, b, call.stream);
  }
  const mx::array zero(0, call.out_dtype());
  const mx::array one(1, call.out_dtype());
  const mx::array below = mx::less(b, zero, call.stream);
  const mx::array exponent = mx::where(below, zero, b, call.stream);
  const mx::array inverse = mx::where(mx::equal(a, one, call.stream), one, zero, call.stream);
  return mx::where(below, inverse, mx::power(a, exponent, call.stream), call.stream);
}

// Whether a distance stays within the dtype's width; a negative one is huge without its sign.
mx::array within_width(Call& call) {
  const std::size_t bytes = call.out.dtype.size();
  const mx::Dtype unsigned_dtype = bytes == 1   ? mx::uint8
                                   : bytes == 2 ? mx::uint16
                                   : bytes == 4 ? mx::uint32
                                                : mx::uint64;
  const mx::array distance = call.cast(call.in[1], unsigned_dtype);
  return mx::less(distance, mx::array(static_cast<int>(8 * bytes), unsigned_dtype), call.stream);
}
mx::array left_shift(Call& call, const LeftShift&) {
  const mx::array shifted = mx::left_shift(call.in[0], call.in[1], call.stream);
  return mx::where(within_width(call), shifted, mx::array(0, call.out_dtype()), call.stream);
}
mx::array right_shift(Call& call, const RightShift&) {
  const mx::array zero(0, call.out_dtype());
  mx::array out = mx::broadcast_to(zero, call.out_shape(), call.stream);
  if (issubdtype(call.out.dtype, Dtype::Category::signedinteger)) {
    const mx::array below = mx::less(call.in[0], zero, call.stream);
    out = mx::where(below, mx::array(-1, call.out_dtype()), zero, call.stream);
  }
  const mx::array shifted = mx::right_shift(call.in[0], call.in[1], call.stream);
  return mx::where(within_width(call), shifted, out, call.stream);
}

// Floats become integers through 64 bits; what those cannot hold, and NaN, is 0.
mx::array cast(Call& call, const Cast& op) {
  const mx::array& x = call.in[0];
  const Dtype from = call.tensors[0]->dtype();
  if (from == complex64 && op.dtype != complex64) {
    if (op.dtype == bool_) return mx::not_equal(x, mx::array(0, mx::complex64), call.stream);
    if (!is_integer(op.dtype)) return call.result(mx::real(x, call.stream));
  }
  if (!(is_floating(from) || from == complex64) || !is_integer(op.dtype)) return call.result(x);
  const mx::array value = from == complex64 ? mx::real(x, call.stream) : call.wide(x);
  const auto bound = [&](double v) { return mx::array(v, value.dtype()); };
  const mx::array fits = mx::logical_and(mx::greater_equal(value, bound(-0x1p63), call.stream),
                                         mx::less(value, bound(0x1p63), call.stream), call.stream);
  const mx::array signed_bits = call.cast(mx::where(fits, value, bound(0), call.stream), mx::int64);
  const mx::array past = mx::logical_and(mx::greater_equal(value, bound(0x1p63), call.stream),
                                         mx::less(value, bound(0x1p64), call.stream), call.stream);
  // Between 2^63 and 2^64 a float is a multiple of 2^11, so the low bits of narrower dtypes are 0.
  const mx::array top = call.cast(
      mx::where(past, mx::subtract(value, bound(0x1p63), call.stream), bound(0), call.stream),
      mx::int64);
  const mx::array sign_bit = mx::array(std::numeric_limits<std::int64_t>::min(), mx::int64);
  const mx::array high = mx::bitwise_or(top, sign_bit, call.stream);
  return call.result(mx::where(past, high, signed_bits, call.stream));
}

mx::array select(Call& call, const Select&) {
  return mx::where(call.in[0], call.in[1], call.in[2], call.stream);
}

mx::array gelu(Call& call, const Gelu& op) {
  const mx::array x = call.wide(call.in[0]);
  const auto number = [&](double v) { return mx::array(v, x.dtype()); };
  const auto times = [&](const mx::array& a, const mx::array& b) {
    return mx::multiply(a, b, call.stream);
  };
  mx::array inner = x;
  if (op.tanh_approximation) {
    const mx::array cube = times(times(x, x), x);
    const mx::array sum = mx::add(x, times(number(0.044715), cube), call.stream);
    inner = mx::tanh(times(number(0.7978845608028654), sum), call.stream);
  } else {
    inner = mx::erf(times(x, number(0.7071067811865476)), call.stream);
  }
  const mx::array half = times(x, number(0.5));
  return call.result(times(half, mx::add(number(1), inner, call.stream)));
}

}  // namespace

void add_elementwise(KernelTable& table) {
  table.add<Exp, wide_unary<Exp, mx::exp>>();
  table.add<Log, wide_unary<Log, mx::log>>();
  table.add<Sin, wide_unary<Sin, mx::sin>>();
  table.add<Cos, wide_unary<Cos, mx::cos>>();
  table.add<Sqrt, wide_unary<Sqrt, mx::sqrt>>();
  table.add<Tanh, wide_unary<Tanh, mx::tanh>>();
  table.add<Erf, wide_unary<Erf, mx::erf>>();
  table.add<ErfInv, wide_unary<ErfInv, mx::erfinv>>();
  table.add<Log1p, wide_unary<Log1p, mx::log1p>>();
  table.add<Expm1, wide_unary<Expm1, mx::expm1>>();
  table.add<Log2, wide_unary<Log2, mx::log2>>();
  table.add<Log10, wide_unary<Log10, mx::log10>>();
  table.add<Rsqrt, wide_unary<Rsqrt, mx::rsqrt>>();
  table.add<Reciprocal, wide_unary<Reciprocal, mx::reciprocal>>();
  table.add<Sigmoid, wide_unary<Sigmoid, mx::sigmoid>>();
  table.add<Negative, unary<Negative, mx::negative>>();
  table.add<Abs, unary<Abs, mx::abs>>();
  table.add<Square, unary<Square, mx::square>>();
  table.add<LogicalNot, unary<LogicalNot, mx::logical_not>>();
  table.add<Floor, rounding<Floor, mx::floor>>();
  table.add<Ceil, rounding<Ceil, mx::ceil>>();
  table.add<Round, rounding<Round, round_to_even>>();
  table.add<BitwiseInvert, unary<BitwiseInvert, mx::bitwise_invert>>();
  table.add<Imag, unary<Imag, mx::imag>>();

  table.add<Add, binary<Add, mx::add>>();
  table.add<Subtract, binary<Subtract, mx::subtract>>();
  table.add<Multiply, binary<Multiply, mx::multiply>>();
  table.add<Divide, divide>();
  table.add<Maximum, binary<Maximum, mx::maximum>>();
  table.add<Minimum, binary<Minimum, mx::minimum>>();
  table.add<Power, power>();
  table.add_if<Remainder, wide_binary<Remainder, mx::remainder>, takes_remainder>();
  table.add<ArcTan2, wide_binary<ArcTan2, mx::arctan2>>();
  table.add<Equal, binary<Equal, mx::equal>>();
  table.add<NotEqual, binary<NotEqual, mx::not_equal>>();
  table.add<Less, binary<Less, mx::less>>();
  table.add<LessEqual, binary<LessEqual, mx::less_equal>>();
  table.add<Greater, binary<Greater, mx::greater>>();
  table.add<GreaterEqual, binary<GreaterEqual, mx::greater_equal>>();
  table.add<LogicalAnd, binary<LogicalAnd, mx::logical_and>>();
  table.add<LogicalOr, binary<LogicalOr, mx::logical_or>>();
  table.add<BitwiseAnd, binary<BitwiseAnd, mx::bitwise_and>>();
  table.add<BitwiseOr, binary<BitwiseOr, mx::bitwise_or>>();
  table.add<BitwiseXor, binary<BitwiseXor, mx::bitwise_xor>>();
  table.add<LeftShift, left_shift>();
  table.add<RightShift, right_shift>();

  table.add<Cast, cast>();
  table.add<Select, select>();
  table.add<Gelu, gelu>();
}

}  // namespace tessera::mlx_backend

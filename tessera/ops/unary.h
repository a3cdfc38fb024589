// Elementwise ops of one input.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

namespace detail {
TensorSpec unary_spec(const char* op, std::span<const array> in);
TensorSpec float_unary_spec(const char* op, std::span<const array> in);

/// Floating dtypes in and out; the user functions cast integers to float32 first.
template <class Op>
struct FloatUnary {
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "floating -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const { return float_unary_spec(Op::kName, in); }
  static constexpr bool kElementwise = true;
};
/// Any dtype, the same out.
template <class Op>
struct AnyUnary {
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "any -> the same";
  TensorSpec infer(std::span<const array> in) const { return unary_spec(Op::kName, in); }
  static constexpr bool kElementwise = true;
};
}  // namespace detail

struct Exp : detail::FloatUnary<Exp> {
  static constexpr const char* kName = "exp";
  static constexpr const char* kDoc = "e to the x.";
  void vjp(Vjp& v) const;
};
struct Log : detail::FloatUnary<Log> {
  static constexpr const char* kName = "log";
  static constexpr const char* kDoc = "Natural logarithm; NaN below 0, -inf at 0.";
  void vjp(Vjp& v) const;
};
struct Sin : detail::FloatUnary<Sin> {
  static constexpr const char* kName = "sin";
  static constexpr const char* kDoc = "Sine of radians.";
  void vjp(Vjp& v) const;
};
struct Cos : detail::FloatUnary<Cos> {
  static constexpr const char* kName = "cos";
  static constexpr const char* kDoc = "Cosine of radians.";
  void vjp(Vjp& v) const;
};
struct Sqrt : detail::FloatUnary<Sqrt> {
  static constexpr const char* kName = "sqrt";
  static constexpr const char* kDoc =
      "Square root; NaN below 0. A kernel of its own is correctly rounded.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Tanh : detail::FloatUnary<Tanh> {
  static constexpr const char* kName = "tanh";
  static constexpr const char* kDoc = "Hyperbolic tangent.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Erf : detail::FloatUnary<Erf> {
  static constexpr const char* kName = "erf";
  static constexpr const char* kDoc =
      "Error function 2/sqrt(pi) * integral of exp(-t^2), 0 to x. Lowered, within 2e-7.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct ErfInv : detail::FloatUnary<ErfInv> {
  static constexpr const char* kName = "erfinv";
  static constexpr const char* kDoc =
      "The x whose erf is given; infinite at -1 and 1, NaN beyond; half types in float32 inside.";
  std::vector<array> lower(std::span<const array> in) const;

  /// Single precision polynomials, highest power first: the result is x * kCentre(w - 2.5) for
  /// w = -log(1 - x^2) < 5 and x * kTail(sqrt(w) - 3) from there on, within 4e-7 of the value.
  /// M. Giles, "Approximating the erfinv function", GPU Computing Gems 2 (2011).
  static constexpr double kCentre[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                       -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                       -0.00417768164,  0.246640727,    1.50140941};
  static constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                     -0.00367342844,  0.00573950773,  -0.0076224613,
                                     0.00943887047,   1.00167406,     2.83297682};
  void vjp(Vjp& v) const;
};
struct Log1p : detail::FloatUnary<Log1p> {
  static constexpr const char* kName = "log1p";
  static constexpr const char* kDoc =
      "log(1 + x), exact for small x; NaN below -1, -inf at -1; half types in float32 inside.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Negative : detail::AnyUnary<Negative> {
  static constexpr const char* kName = "negative";
  static constexpr const char* kDoc = "-x; integers wrap.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Abs {
  static constexpr const char* kName = "abs";
  static constexpr const char* kDoc =
      "Absolute value; the length of a complex number. The least signed integer stays.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "any -> the same, complex64 -> float32";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
  void vjp(Vjp& v) const;
};
struct Square : detail::AnyUnary<Square> {
  static constexpr const char* kName = "square";
  static constexpr const char* kDoc = "x * x; integers wrap.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Reciprocal : detail::FloatUnary<Reciprocal> {
  static constexpr const char* kName = "reciprocal";
  static constexpr const char* kDoc = "1 / x.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Rsqrt : detail::FloatUnary<Rsqrt> {
  static constexpr const char* kName = "rsqrt";
  static constexpr const char* kDoc = "1 / sqrt(x).";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Sigmoid : detail::FloatUnary<Sigmoid> {
  static constexpr const char* kName = "sigmoid";
  static constexpr const char* kDoc = "1 / (1 + exp(-x)).";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct LogicalNot {
  static constexpr const char* kName = "logical_not";
  static constexpr const char* kDoc = "x == 0, as bool.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "any -> bool";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
};
struct Floor : detail::AnyUnary<Floor> {
  static constexpr const char* kName = "floor";
  static constexpr const char* kDoc = "The largest integer not above x; integers and bool stay.";
  void vjp(Vjp& v) const;
};
struct Ceil : detail::AnyUnary<Ceil> {
  static constexpr const char* kName = "ceil";
  static constexpr const char* kDoc = "The smallest integer not below x; integers and bool stay.";
  void vjp(Vjp& v) const;
};

/// Integers and bool go to float32 first.
array exp(const array& a);
array log(const array& a);
array sin(const array& a);
array cos(const array& a);
array sqrt(const array& a);
array rsqrt(const array& a);
array reciprocal(const array& a);
array tanh(const array& a);
array sigmoid(const array& a);
array erf(const array& a);
array erfinv(const array& a);
array log1p(const array& a);
/// The dtype stays, but for the abs of complex64.
array abs(const array& a);
array square(const array& a);
/// errors  unsupported_dtype for bool (use logical_not)
array negative(const array& a);
array operator-(const array& a);
array logical_not(const array& a);
/// errors  unsupported_dtype for complex
array floor(const array& a);
array ceil(const array& a);

}  // namespace tessera

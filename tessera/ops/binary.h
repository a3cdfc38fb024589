// Elementwise ops of two inputs, broadcast together.
#pragma once

#include <type_traits>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

namespace detail {
TensorSpec binary_spec(const char* op, std::span<const array> in);
TensorSpec comparison_spec(const char* op, std::span<const array> in);

/// Two inputs of one dtype, which the output has too.
template <class Op>
struct Arithmetic {
  static constexpr const char* kShapes = "a, b broadcast together -> that shape";
  static constexpr const char* kDtypes =
      "a, b of one dtype, any -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const { return binary_spec(Op::kName, in); }
  static constexpr bool kElementwise = true;
};
/// Two inputs of one dtype; the output is bool.
template <class Op>
struct Comparison {
  static constexpr const char* kShapes = "a, b broadcast together -> that shape";
  static constexpr const char* kDtypes = "a, b of one dtype, any -> bool";
  TensorSpec infer(std::span<const array> in) const { return comparison_spec(Op::kName, in); }
  static constexpr bool kElementwise = true;
};
}  // namespace detail

struct Add : detail::Arithmetic<Add> {
  static constexpr const char* kName = "add";
  static constexpr const char* kDoc = "a + b; integers wrap; bool is logical or.";
  void vjp(Vjp& v) const;
};
struct Subtract : detail::Arithmetic<Subtract> {
  static constexpr const char* kName = "subtract";
  static constexpr const char* kDoc = "a - b; integers wrap.";
  void vjp(Vjp& v) const;
};
struct Multiply : detail::Arithmetic<Multiply> {
  static constexpr const char* kName = "multiply";
  static constexpr const char* kDoc = "a * b; integers wrap; bool is logical and.";
  void vjp(Vjp& v) const;
};
struct Divide : detail::Arithmetic<Divide> {
  static constexpr const char* kName = "divide";
  static constexpr const char* kDoc =
      "a / b; integers truncate towards 0 and give 0 by 0 (divide() takes them to float32).";
  void vjp(Vjp& v) const;
};
struct Maximum : detail::Arithmetic<Maximum> {
  static constexpr const char* kName = "maximum";
  static constexpr const char* kDoc = "The larger; NaN if either is NaN.";
  void vjp(Vjp& v) const;
};
struct Minimum : detail::Arithmetic<Minimum> {
  static constexpr const char* kName = "minimum";
  static constexpr const char* kDoc = "The smaller; NaN if either is NaN.";
  void vjp(Vjp& v) const;
};
struct Power : detail::Arithmetic<Power> {
  static constexpr const char* kName = "power";
  static constexpr const char* kDoc =
      "a to the b; integers by repeated multiplication, wrapping, and 0 for a negative exponent (1 "
      "for 1). pow(x, 0) and pow(1, y) are 1 also for NaN; NaN for a negative base and a broken "
      "exponent.";
  void vjp(Vjp& v) const;
};
struct Equal : detail::Comparison<Equal> {
  static constexpr const char* kName = "equal";
  static constexpr const char* kDoc = "a == b; NaN equals nothing.";
  std::vector<array> lower(std::span<const array> in) const;
};
struct NotEqual : detail::Comparison<NotEqual> {
  static constexpr const char* kName = "not_equal";
  static constexpr const char* kDoc = "a != b.";
  std::vector<array> lower(std::span<const array> in) const;
};
struct Less : detail::Comparison<Less> {
  static constexpr const char* kName = "less";
  static constexpr const char* kDoc = "a < b.";
  std::vector<array> lower(std::span<const array> in) const;
};
struct LessEqual : detail::Comparison<LessEqual> {
  static constexpr const char* kName = "less_equal";
  static constexpr const char* kDoc = "a <= b.";
};
struct Greater : detail::Comparison<Greater> {
  static constexpr const char* kName = "greater";
  static constexpr const char* kDoc = "a > b.";
  std::vector<array> lower(std::span<const array> in) const;
};
struct GreaterEqual : detail::Comparison<GreaterEqual> {
  static constexpr const char* kName = "greater_equal";
  static constexpr const char* kDoc = "a >= b.";
  std::vector<array> lower(std::span<const array> in) const;
};
struct LogicalAnd : detail::Comparison<LogicalAnd> {
  static constexpr const char* kName = "logical_and";
  static constexpr const char* kDoc = "a != 0 and b != 0.";
  std::vector<array> lower(std::span<const array> in) const;
};
struct LogicalOr : detail::Comparison<LogicalOr> {
  static constexpr const char* kName = "logical_or";
  static constexpr const char* kDoc = "a != 0 or b != 0.";
  std::vector<array> lower(std::span<const array> in) const;
};

/// Dtypes are promoted together (promote_types).   errors  shape_mismatch naming both shapes
array add(const array& a, const array& b);
array subtract(const array& a, const array& b);
array multiply(const array& a, const array& b);
/// Integers divide in float32.
array divide(const array& a, const array& b);
array maximum(const array& a, const array& b);
array minimum(const array& a, const array& b);
array power(const array& a, const array& b);
/// bool results.
array equal(const array& a, const array& b);
array not_equal(const array& a, const array& b);
array less(const array& a, const array& b);
array less_equal(const array& a, const array& b);
array greater(const array& a, const array& b);
array greater_equal(const array& a, const array& b);
array logical_and(const array& a, const array& b);
array logical_or(const array& a, const array& b);

namespace detail {
array scalar_operand(double value, bool floating, const array& like);
template <class T>
array as_operand(const T& value, const array& like) {
  if constexpr (std::is_same_v<T, array>) {
    return value;
  } else {
    return scalar_operand(static_cast<double>(value), std::is_floating_point_v<T>, like);
  }
}
template <class A, class B>
concept Operands = (std::is_same_v<A, array> &&
                    (std::is_same_v<B, array> || std::is_arithmetic_v<B>)) ||
                   (std::is_arithmetic_v<A> && std::is_same_v<B, array>);
/// The array among two operands, whose dtype a scalar follows.
template <class A, class B>
const array& array_of(const A& a, const B& b) {
  if constexpr (std::is_same_v<A, array>)
    return a;
  else
    return b;
}
}  // namespace detail

// Scalars are weak: they take the array's dtype (a float beside an integer array gives float32).
#define TESSERA_BINARY_OPERATOR(symbol, function)                                 \
  template <class A, class B>                                                     \
  requires detail::Operands<A, B> array operator symbol(const A& a, const B& b) { \
    const array& like = detail::array_of(a, b);                                   \
    return function(detail::as_operand(a, like), detail::as_operand(b, like));    \
  }
TESSERA_BINARY_OPERATOR(+, add)
TESSERA_BINARY_OPERATOR(-, subtract)
TESSERA_BINARY_OPERATOR(*, multiply)
TESSERA_BINARY_OPERATOR(/, divide)
TESSERA_BINARY_OPERATOR(==, equal)
TESSERA_BINARY_OPERATOR(!=, not_equal)
TESSERA_BINARY_OPERATOR(<, less)
TESSERA_BINARY_OPERATOR(<=, less_equal)
TESSERA_BINARY_OPERATOR(>, greater)
TESSERA_BINARY_OPERATOR(>=, greater_equal)
TESSERA_BINARY_OPERATOR(&&, logical_and)
TESSERA_BINARY_OPERATOR(||, logical_or)
#undef TESSERA_BINARY_OPERATOR

}  // namespace tessera

// Bitwise ops and shifts of integers and bool.
#pragma once

#include "tessera/ops/binary.h"

namespace tessera {

namespace detail {
TensorSpec bitwise_spec(const char* op, std::span<const array> in);
TensorSpec shift_spec(const char* op, std::span<const array> in);

/// Two inputs of one integer dtype (or bool), which the output has too.
template <class Op>
struct Bitwise {
  static constexpr const char* kShapes = "a, b broadcast together -> that shape";
  static constexpr const char* kDtypes = "a, b of one dtype, integer or bool -> the same";
  TensorSpec infer(std::span<const array> in) const { return bitwise_spec(Op::kName, in); }
  static constexpr bool kElementwise = true;
};
/// Two inputs of one integer dtype, which the output has too.
template <class Op>
struct Shift {
  static constexpr const char* kShapes = "a, b broadcast together -> that shape";
  static constexpr const char* kDtypes = "a, b of one integer dtype -> the same";
  TensorSpec infer(std::span<const array> in) const { return shift_spec(Op::kName, in); }
  static constexpr bool kElementwise = true;
};
}  // namespace detail

struct BitwiseAnd : detail::Bitwise<BitwiseAnd> {
  static constexpr const char* kName = "bitwise_and";
  static constexpr const char* kDoc = "a & b; of bool, logical and.";
};
struct BitwiseOr : detail::Bitwise<BitwiseOr> {
  static constexpr const char* kName = "bitwise_or";
  static constexpr const char* kDoc = "a | b; of bool, logical or.";
};
struct BitwiseXor : detail::Bitwise<BitwiseXor> {
  static constexpr const char* kName = "bitwise_xor";
  static constexpr const char* kDoc = "a ^ b; of bool, a != b.";
};
struct LeftShift : detail::Shift<LeftShift> {
  static constexpr const char* kName = "left_shift";
  static constexpr const char* kDoc =
      "a << b; bits that leave are lost. A distance below 0 or not below the dtype's width gives 0 "
      "(MLX leaves it to the processor).";
};
struct RightShift : detail::Shift<RightShift> {
  static constexpr const char* kName = "right_shift";
  static constexpr const char* kDoc =
      "a >> b; signed dtypes keep their sign. A distance below 0 or not below the dtype's width "
      "gives 0, or -1 for negative a (MLX leaves it to the processor).";
};
struct BitwiseInvert {
  static constexpr const char* kName = "bitwise_invert";
  static constexpr const char* kDoc = "~x; of bool, logical not.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "integer or bool -> the same";
  TensorSpec infer(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
};

/// Dtypes are promoted together (promote_types).
/// errors  unsupported_dtype unless both are integers or bool; shape_mismatch naming both shapes
array bitwise_and(const array& a, const array& b);
array bitwise_or(const array& a, const array& b);
array bitwise_xor(const array& a, const array& b);
/// As above, except that two bools give uint8.
array left_shift(const array& a, const array& b);
array right_shift(const array& a, const array& b);
/// errors  unsupported_dtype unless integer or bool
array bitwise_invert(const array& a);
array operator~(const array& a);

// Scalars are weak, as beside the arithmetic operators.
#define TESSERA_BITWISE_OPERATOR(symbol, function)                                \
  template <class A, class B>                                                     \
  requires detail::Operands<A, B> array operator symbol(const A& a, const B& b) { \
    const array& like = detail::array_of(a, b);                                   \
    return function(detail::as_operand(a, like), detail::as_operand(b, like));    \
  }
TESSERA_BITWISE_OPERATOR(&, bitwise_and)
TESSERA_BITWISE_OPERATOR(|, bitwise_or)
TESSERA_BITWISE_OPERATOR(^, bitwise_xor)
TESSERA_BITWISE_OPERATOR(<<, left_shift)
TESSERA_BITWISE_OPERATOR(>>, right_shift)
#undef TESSERA_BITWISE_OPERATOR

}  // namespace tessera

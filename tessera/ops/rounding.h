// Rounding, signs, integer quotients with their remainders, and limits on values.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ops/binary.h"
#include "tessera/ops/unary.h"

namespace tessera {

struct Round : detail::AnyUnary<Round> {
  static constexpr const char* kName = "round";
  static constexpr const char* kDoc =
      "The nearest integer, the even one of two; integers and bool stay. Not for complex.";
  static constexpr const char* kDtypes = "real -> the same";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};

struct Remainder {
  static constexpr bool kElementwise = true;
  static constexpr const char* kName = "remainder";
  static constexpr const char* kDoc =
      "a - b * floor(a / b), exactly: it has b's sign. By 0 it is NaN, or a for integers. An "
      "infinite b gives a, or b where the signs differ. Not for bool and complex. Lowered, a / b "
      "is "
      "rounded first.";
  static constexpr const char* kShapes = "a, b broadcast together -> that shape";
  static constexpr const char* kDtypes =
      "a, b of one integer or floating dtype -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};

/// To `decimals` places after the point (before it when negative), halves to even; the dtype stays.
/// Of complex numbers, each part.
array round(const array& a, int decimals = 0);
/// Towards 0.   errors  unsupported_dtype for complex
array trunc(const array& a);
/// The array itself.
array positive(const array& a);
/// -1, 0 or 1 in the dtype of a; 0 of NaN; of complex numbers a / |a|.
array sign(const array& a);

/// The quotient rounded down, also of integers, where a quotient by 0 is 0. Dtypes are promoted
/// together. Complex quotients are not rounded.   errors  shape_mismatch
array floor_divide(const array& a, const array& b);
/// What floor_divide leaves.   errors  shape_mismatch, unsupported_dtype for complex
array remainder(const array& a, const array& b);
/// Both: {floor_divide(a, b), remainder(a, b)}.
std::vector<array> divmod(const array& a, const array& b);

/// min(max(a, a_min), a_max), promoted and broadcast together; either limit may be left out.
/// errors  invalid_argument when both are
array clip(const array& a, const std::optional<array>& a_min = std::nullopt,
           const std::optional<array>& a_max = std::nullopt);
/// NaN becomes `nan`, the infinities what is given or the dtype's greatest and least finite number.
/// Integers and bool stay.   errors  unsupported_dtype for complex
array nan_to_num(const array& a, float nan = 0.0f, std::optional<float> posinf = std::nullopt,
                 std::optional<float> neginf = std::nullopt);

// Scalars are weak, as beside the other operators.
template <class A, class B>
requires detail::Operands<A, B> array operator%(const A& a, const B& b) {
  const array& like = detail::array_of(a, b);
  return remainder(detail::as_operand(a, like), detail::as_operand(b, like));
}

}  // namespace tessera

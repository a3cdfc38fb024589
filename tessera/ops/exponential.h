// Exponentials and logarithms beyond exp, log and log1p (unary.h).
#pragma once

#include "tessera/ops/unary.h"

namespace tessera {

struct Expm1 : detail::FloatUnary<Expm1> {
  static constexpr const char* kName = "expm1";
  static constexpr const char* kDoc =
      "exp(x) - 1, exact for small x; half types in float32 inside.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Log2 : detail::FloatUnary<Log2> {
  static constexpr const char* kName = "log2";
  static constexpr const char* kDoc =
      "Logarithm to base 2; NaN below 0, -inf at 0; half types in float32 inside. A kernel of its "
      "own is exact at powers of 2.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};
struct Log10 : detail::FloatUnary<Log10> {
  static constexpr const char* kName = "log10";
  static constexpr const char* kDoc =
      "Logarithm to base 10; NaN below 0, -inf at 0; half types in float32 inside.";
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};

/// Integers and bool go to float32 first.
array expm1(const array& a);
array log2(const array& a);
array log10(const array& a);
/// log(exp(a) + exp(b)) without overflow; broadcast and promoted together, half types in float32
/// inside.   errors  shape_mismatch
array logaddexp(const array& a, const array& b);

}  // namespace tessera

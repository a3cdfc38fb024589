// Trigonometric and hyperbolic functions and their inverses. Most are written with simpler ops, so
// that they run on every backend; half types compute in float32 and round once.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct ArcTan2 {
  static constexpr bool kElementwise = true;
  static constexpr const char* kName = "arctan2";
  static constexpr const char* kDoc =
      "The angle of the point (x = second input, y = first) in radians, -pi to pi, with the signs "
      "of zeros as in C's atan2; NaN if either is NaN; half types in float32 inside. Lowered, "
      "float64 holds float32's precision.";
  static constexpr const char* kShapes = "a, b broadcast together -> that shape";
  static constexpr const char* kDtypes =
      "a, b of one floating dtype -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
};

/// Radians in. Integers and bool go to float32 first, as in all functions of this file.
array tan(const array& a);
/// Radians out; NaN outside [-1, 1].
array arcsin(const array& a);
array arccos(const array& a);
array arctan(const array& a);
/// Broadcast and promoted together.   errors  shape_mismatch, unsupported_dtype for complex
array arctan2(const array& a, const array& b);

array sinh(const array& a);
array cosh(const array& a);
array arcsinh(const array& a);
/// NaN below 1.
array arccosh(const array& a);
/// Infinite at -1 and 1, NaN beyond.
array arctanh(const array& a);

/// Radians to degrees and back.
array degrees(const array& a);
array radians(const array& a);

}  // namespace tessera

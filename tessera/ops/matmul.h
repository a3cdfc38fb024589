// Matrix products.
#pragma once

#include <optional>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Matmul {
  static constexpr const char* kName = "matmul";
  static constexpr const char* kDoc = "Matrix product; zeros for K = 0.";
  static constexpr const char* kShapes =
      "a [..., M, K], b [..., K, N], batch axes broadcast -> [..., M, N]";
  static constexpr const char* kDtypes =
      "a, b of one floating dtype -> the same; half types sum in float32";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Linear {
  static constexpr const char* kName = "linear";
  static constexpr const char* kDoc =
      "x times w transposed, plus the bias. The weight is read in its own dtype; K = 0 gives the "
      "bias or zeros.";
  static constexpr const char* kShapes = "x [..., K], w [N, K], bias [N] if any -> [..., N]";
  static constexpr const char* kDtypes =
      "x, w floating, each its own -> the two promoted; sums in float32";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// NumPy's rules for vectors: a 1-d operand gets an axis of 1 that is dropped again.
/// errors  unsupported_dtype for integers; shape_mismatch when K differs
array matmul(const array& a, const array& b);
/// alpha * (a x b) + beta * c, half types in float32 and rounded once.
array addmm(const array& c, const array& a, const array& b, float alpha = 1.0f, float beta = 1.0f);

/// x       [..., K]  float16 | bfloat16 | float32
/// weight  [N, K]    any floating dtype
/// bias    [N]
/// returns [..., N]
array linear(const array& x, const array& weight, const std::optional<array>& bias = std::nullopt);

}  // namespace tessera

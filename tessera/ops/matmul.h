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
  static constexpr const char* kDoc =
      "a [..., M, K] x b [..., K, N] -> [..., M, N], batch axes broadcast; sums in float32 for "
      "half "
      "types; K = 0 gives 0.";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Linear {
  static constexpr const char* kName = "linear";
  static constexpr const char* kDoc =
      "x [..., K] x w [N, K] transposed, plus bias [N] if given -> [..., N]. The weight is read in "
      "its own dtype; the result has the promoted dtype of x and w; sums in float32.";
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

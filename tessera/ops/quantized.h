// Ops on packed weights: a matrix [N, K] stored as uint8 [N, row_bytes(type, K)], never expanded.
#pragma once

#include <optional>

#include "tessera/core/quant_type.h"
#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct QuantizedLinear {
  QuantType type = QuantType::q8_0;
  std::int64_t in_features = 0;
  QuantCompute compute = QuantCompute::precise;
  static constexpr const char* kName = "quantized_linear";
  static constexpr const char* kDoc =
      "x [..., K] x packed w [N, K] transposed, plus bias [N] if given -> [..., N], sums in "
      "float32.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct QuantizedEmbedding {
  QuantType type = QuantType::q8_0;
  std::int64_t dims = 0;
  Dtype dtype = float32;
  static constexpr const char* kName = "quantized_embedding";
  static constexpr const char* kDoc = "Rows of a packed table at integer ids, expanded to dtype.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Dequantize {
  QuantType type = QuantType::q8_0;
  std::int64_t columns = 0;
  Dtype dtype = float32;
  static constexpr const char* kName = "dequantize";
  static constexpr const char* kDoc =
      "A packed matrix [..., row_bytes] expanded to [..., columns].";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// x [..., in_features] floating; packed uint8 [N, row_bytes]; bias [N] -> [..., N] in x's dtype.
/// errors  shape_mismatch, unsupported_dtype
array quantized_linear(const array& x, const array& packed, QuantType type,
                       const std::optional<array>& bias = std::nullopt,
                       QuantCompute compute = QuantCompute::precise);
/// ids any integer shape; packed uint8 [V, row_bytes] -> [ids..., dims]
array quantized_embedding(const array& ids, const array& packed, QuantType type, std::int64_t dims,
                          Dtype dtype = float32);
array dequantize(const array& packed, QuantType type, std::int64_t columns, Dtype dtype = float32);

}  // namespace tessera

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
  static constexpr const char* kDoc = "x times packed w transposed, plus the bias, rounded once.";
  static constexpr const char* kShapes =
      "x [..., K], w [N, bytes of a row], bias [N] if any -> [..., N]";
  static constexpr const char* kDtypes = "x floating, w uint8 -> dtype of x; sums in float32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&QuantizedLinear::type>("the block format (core/quant_type.h)"),
                 attribute<&QuantizedLinear::in_features>("K, a multiple of the block"),
                 attribute<&QuantizedLinear::compute>(
                     "precise: exact weights; fast: activations rounded to int8 in groups of 32"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct QuantizedEmbedding {
  QuantType type = QuantType::q8_0;
  std::int64_t dims = 0;
  Dtype dtype = float32;
  static constexpr const char* kName = "quantized_embedding";
  static constexpr const char* kDoc =
      "Rows of a packed table, expanded as dequantize does. Negative ids count from the end; one "
      "out of range is an error when it runs.";
  static constexpr const char* kShapes = "ids [...], w [V, bytes of a row] -> [..., dims]";
  static constexpr const char* kDtypes = "ids integer, w uint8 -> dtype";
  static constexpr auto kAttributes =
      std::tuple(attribute<&QuantizedEmbedding::type>("the block format (core/quant_type.h)"),
                 attribute<&QuantizedEmbedding::dims>("weights of a row, a multiple of the block"),
                 attribute<&QuantizedEmbedding::dtype>("of the result, floating"));
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
      "A packed matrix expanded: each weight in float32 as the format defines it, rounded once.";
  static constexpr const char* kShapes = "w [..., bytes of a row] -> [..., columns]";
  static constexpr const char* kDtypes = "uint8 -> dtype";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Dequantize::type>("the block format (core/quant_type.h)"),
                 attribute<&Dequantize::columns>("weights of a row, a multiple of the block"),
                 attribute<&Dequantize::dtype>("of the result, floating"));
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

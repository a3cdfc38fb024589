// Products with weights quantised in groups (core/quant_groups.h) and products of chosen matrices.
//
//   array y = quantized_matmul(x, w, scales, biases);                      // x W^T, 4 bits, groups
//   of 64 array z = gather_qmm(x, experts, scales, biases, {}, chosen_experts);  // a mixture of
//   experts
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/quant_groups.h"
#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct QuantizedMatmul {
  QuantGroups groups;
  bool transpose = true;
  static constexpr const char* kName = "quantized_matmul";
  static constexpr const char* kDoc =
      "Product with a quantised matrix. Each weight is expanded to float32 (one rounding of scale "
      "* code + bias) and the sum is rounded once. MLX reads only the first matrix when w alone "
      "has batch axes.";
  static constexpr const char* kShapes =
      "x [..., M, K], w of [..., N, K] or [..., K, N] as codes, scales, biases if affine; batch "
      "axes broadcast -> [..., M, N]";
  static constexpr const char* kDtypes =
      "x and scales floating -> the two promoted (fp modes: dtype of x); sums in float32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&QuantizedMatmul::groups>("how w is quantised (core/quant_groups.h)"),
                 attribute<&QuantizedMatmul::transpose>("w holds [..., N, K], else [..., K, N]"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct GatherQmm {
  QuantGroups groups;
  bool transpose = true;
  static constexpr const char* kName = "gather_qmm";
  static constexpr const char* kDoc =
      "x[lhs[i]] times w[rhs[i]] for every i, over the flattened batch axes. Negative indices "
      "count from the end; one out of range is an error when it runs (MLX: undefined).";
  static constexpr const char* kShapes =
      "x [..., M, K], w as for quantized_matmul, lhs [I...], rhs [I...] -> [I..., M, N]";
  static constexpr const char* kDtypes = "as for quantized_matmul; lhs, rhs integer";
  static constexpr auto kAttributes =
      std::tuple(attribute<&GatherQmm::groups>("how w is quantised (core/quant_groups.h)"),
                 attribute<&GatherQmm::transpose>("w holds [..., N, K], else [..., K, N]"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

struct GatherMm {
  static constexpr const char* kName = "gather_mm";
  static constexpr const char* kDoc =
      "a[lhs[i]] times b[rhs[i]] for every i, over the flattened batch axes. Negative indices "
      "count from the end; one out of range is an error when it runs (MLX: undefined).";
  static constexpr const char* kShapes =
      "a [..., M, K], b [..., K, N], lhs [I...], rhs [I...] -> [I..., M, N]";
  static constexpr const char* kDtypes =
      "a, b of one floating dtype -> the same; half types sum in float32; lhs, rhs integer";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

/// x          [..., M, K] or [K]; float32 | float16 | bfloat16 (affine: any dtype that promotes to
/// one) w          uint32 codes [..., N, words] of [..., N, K], or of [..., K, N] when !transpose
/// scales     one per group; biases: for mode "affine" only
/// returns    [..., M, N]
/// errors     shape_mismatch, unsupported_dtype, invalid_argument
array quantized_matmul(const array& x, const array& w, const array& scales,
                       const std::optional<array>& biases = std::nullopt, bool transpose = true,
                       std::optional<int> group_size = std::nullopt,
                       std::optional<int> bits = std::nullopt, const std::string& mode = "affine");

/// lhs_indices, rhs_indices: which matrices of x and w; left out, each in turn. They broadcast
/// together to I, and the result is [I..., M, N]. sorted_indices is a hint that changes nothing.
/// errors  shape_mismatch, unsupported_dtype, invalid_argument (also when it runs)
array gather_qmm(const array& x, const array& w, const array& scales,
                 const std::optional<array>& biases = std::nullopt,
                 const std::optional<array>& lhs_indices = std::nullopt,
                 const std::optional<array>& rhs_indices = std::nullopt, bool transpose = true,
                 std::optional<int> group_size = std::nullopt,
                 std::optional<int> bits = std::nullopt, const std::string& mode = "affine",
                 bool sorted_indices = false);

/// The same for dense matrices; a vector gets an axis of 1 that is dropped again, as in matmul.
array gather_mm(const array& a, const array& b,
                const std::optional<array>& lhs_indices = std::nullopt,
                const std::optional<array>& rhs_indices = std::nullopt,
                bool sorted_indices = false);

/// x W^T + bias.   bias [N]: rounded as MLX's QuantizedLinear does, the product first
array quantized_linear(const array& x, const array& w, const array& scales,
                       const std::optional<array>& biases, const QuantGroups& groups,
                       const std::optional<array>& bias = std::nullopt);

/// Rows of a quantised table [V, K] at integer ids -> [ids..., K] in dtype. With float16 or
/// bfloat16 scales and a float32 result, the expansion is in float32 throughout, as in
/// quantized_matmul.
array quantized_embedding(const array& ids, const array& w, const array& scales,
                          const std::optional<array>& biases, const QuantGroups& groups,
                          Dtype dtype = float32);

}  // namespace tessera

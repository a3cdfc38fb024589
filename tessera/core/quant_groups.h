// QuantGroups: weights as small codes in groups that share a scale, MLX's way of storing a
// quantised matrix. The other way, GGUF's blocks, is core/quant_type.h.
//
// A matrix [..., N, K] is up to three arrays:
//   codes   uint32 [..., N, K * bits / 32]   each row one string of bits, lowest first: code i of a
//                                            row is its bits [i * bits, (i + 1) * bits)
//   scales  [..., N, K / group_size]         one per group of adjacent weights of a row
//   biases  as scales                        affine only
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tessera/core/half.h"

namespace tessera {

enum class QuantMode : std::uint8_t {
  affine,     ///< w = scale * code + bias, scales and biases of the weights' floating dtype
  symmetric,  ///< affine with the bias -2^(bits - 1) * scale, which is not stored; not in MLX
  mxfp4,      ///< w = scale * E2M1(code), scales E8M0 in uint8, groups of 32
  mxfp8,      ///< w = scale * E4M3(code), scales E8M0 in uint8, groups of 32
  nvfp4,      ///< w = scale * E2M1(code), scales E4M3 in uint8, groups of 16
};

struct QuantGroups {
  QuantMode mode = QuantMode::affine;
  int bits = 4;         ///< of a code: 1, 2, 3, 4, 5, 6 or 8; the fp modes have one width each
  int group_size = 64;  ///< weights that share a scale: 16, 32, 64 or 128

  bool has_biases() const { return mode == QuantMode::affine; }
  /// Whether codes are integers under floating scales; else they are floats under uint8 scales.
  bool has_integer_codes() const { return mode <= QuantMode::symmetric; }
  /// The bias of a symmetric group over its scale: -2^(bits - 1).
  float symmetric_bias() const { return -static_cast<float>(1 << (bits - 1)); }
  /// Words of a row of k weights; k must be whole groups.
  std::int64_t words(std::int64_t k) const { return k / 32 * bits + k % 32 * bits / 32; }
  friend bool operator==(const QuantGroups&, const QuantGroups&) = default;
};

/// The arrays of a quantised matrix.
enum class QuantPart : std::uint8_t { codes, scales, biases };

/// "affine" and so on.
std::string_view to_string(QuantMode mode);

/// By MLX's parameters: what is left out takes the mode's default (affine and symmetric: groups of
/// 64, 4 bits).   op: for messages
/// errors  invalid_argument for a mode, width or group size that is not offered
QuantGroups quant_groups(const char* op, std::string_view mode = "affine",
                         std::optional<int> group_size = std::nullopt,
                         std::optional<int> bits = std::nullopt);

/// errors  invalid_argument for widths or group sizes that the mode does not offer
void check_groups(const char* op, const QuantGroups& groups);

/// One part of a row of k weights, whole groups: the reference every kernel must equal (the rules
/// are those of the op quantize, ops/quantize.h). out  words(k) uint32 for codes; else k /
/// group_size numbers, uint8 in the fp modes or of w's type
void quantize_row(const QuantGroups& groups, QuantPart part, const float* w, std::int64_t k,
                  std::byte* out);
void quantize_row(const QuantGroups& groups, QuantPart part, const float16_t* w, std::int64_t k,
                  std::byte* out);
void quantize_row(const QuantGroups& groups, QuantPart part, const bfloat16_t* w, std::int64_t k,
                  std::byte* out);

}  // namespace tessera

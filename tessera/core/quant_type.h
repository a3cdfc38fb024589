// QuantType: the packed weight formats that matrices are stored in and computed from.
//
// A quantised matrix [N, K] is N rows of K / block_size() blocks; a row is one output feature. The
// layouts are those of GGUF (ggml's block types); their exact values are what every kernel yields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

enum class QuantType : std::uint8_t {
  q4_0,  ///< 32 weights in 18 bytes: f16 d, 16 bytes of nibbles;     w = d * (q - 8)
  q4_1,  ///< 32 in 20: f16 d, f16 m, nibbles;                        w = d * q + m
  q5_0,  ///< 32 in 22: f16 d, 32 high bits, nibbles;                 w = d * (q - 16)
  q5_1,  ///< 32 in 24: f16 d, f16 m, 32 high bits, nibbles;          w = d * q + m
  q8_0,  ///< 32 in 34: f16 d, 32 int8;                               w = d * q
  q2_k,  ///< 256 in 84: 16 x (4-bit scale, 4-bit min), 64 bytes, f16 d, f16 dmin
  q3_k,  ///< 256 in 110: 32 bytes of high bits, 64 bytes, 12 bytes of 6-bit scales, f16 d
  q4_k,  ///< 256 in 144: f16 d, f16 dmin, 12 bytes of 6-bit scales and mins, 128 bytes
  q5_k,  ///< 256 in 176: f16 d, f16 dmin, 12 bytes of scales and mins, 32 high-bit bytes, 128 bytes
  q6_k,  ///< 256 in 210: 128 low-bit bytes, 64 high-bit bytes, 16 int8 scales, f16 d
};

/// How a product with packed weights treats its activations.
enum class QuantCompute : std::uint8_t {
  precise,  ///< each weight widened to its exact float, products and sums in float32
  fast,     ///< activations rounded to int8 with one scale per 32, integer products
};

/// "q4_K" and so on, as GGUF tools print them.
std::string_view to_string(QuantType type);
/// Weights in one block: 32 or 256.
int block_size(QuantType type);
/// Bytes of one block.
int block_bytes(QuantType type);
/// Bytes of a row of k weights.   errors  shape_mismatch when block_size() does not divide k
std::int64_t row_bytes(QuantType type, std::int64_t k);

/// Expands k weights (a multiple of block_size()) to float: the reference every kernel must equal.
void dequantize_row(QuantType type, const std::byte* blocks, float* out, std::int64_t k);

}  // namespace tessera

// Exact expansion of the K-quants: 256 weights in sub-blocks of 16 or 32, each sub-block with a
// small integer scale (and, in q2, q4 and q5, a minimum) under the block's float16 scale.
//
// Codes are interleaved so that a vector of 32 bytes yields 32 weights per shift: byte l of a
// 32-byte run holds weights l, 32 + l, 64 + l, ... from its low bits upward.
#include "tessera/core/internal/dequantize_k.h"

#include "tessera/core/internal/load_half.h"

namespace tessera {
namespace {

/// The 2-bit code of weight i in q2_K and q3_K: 64 bytes, two runs of 32 bytes.
int two_bits(const std::uint8_t* codes, int i) {
  return (codes[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
}

/// The 4-bit code of weight i in q4_K and q5_K: 128 bytes, four runs of 32 bytes.
int four_bits(const std::uint8_t* codes, int i) {
  return (codes[i / 64 * 32 + i % 32] >> (i % 64 / 32 * 4)) & 15;
}

/// The extra bit of weight i in q3_K and q5_K: 32 bytes, one run.
int high_bit(const std::uint8_t* high, int i) {
  return (high[i % 32] >> (i / 32)) & 1;
}

struct ScaleMin {
  int scale;
  int min;
};

/// Sub-block j of 8 in the 12 bytes that q4_K and q5_K share. Bytes 0-3 hold scales 0-3 and bytes
/// 4-7 mins 0-3 in their low 6 bits; their top 2 bits are the top bits of scales and mins 4-7,
/// whose low 4 bits are the low and high nibbles of bytes 8-11.
ScaleMin scale_min(const std::uint8_t* packed, int j) {
  if (j < 4) return {packed[j] & 63, packed[j + 4] & 63};
  return {(packed[j + 4] & 15) | (packed[j - 4] >> 6 << 4),
          (packed[j + 4] >> 4) | (packed[j] >> 6 << 4)};
}

/// Sub-block j of 16 in q3_K's 12 bytes: the low 4 bits are the low (j < 8) or high nibbles of
/// bytes 0-7, the top 2 bits lie in bytes 8-11, and the stored value is the scale plus 32.
int q3_scale(const std::uint8_t* packed, int j) {
  const int low = j < 8 ? packed[j] & 15 : packed[j - 8] >> 4;
  const int high = (packed[8 + j % 4] >> (j / 4 * 2)) & 3;
  return (low | (high << 4)) - 32;
}

}  // namespace

void dequantize_q2_k(const std::uint8_t* block, float* out) {
  const std::uint8_t* scales = block;
  const std::uint8_t* codes = block + 16;
  const float d = load_half(block + 80);
  const float dmin = load_half(block + 82);
  for (int j = 0; j < 16; ++j) {
    const float scale = d * static_cast<float>(scales[j] & 15);
    const float min = dmin * static_cast<float>(scales[j] >> 4);
    for (int i = 16 * j; i < 16 * j + 16; ++i) {
      out[i] = scale * static_cast<float>(two_bits(codes, i)) - min;
    }
  }
}

void dequantize_q3_k(const std::uint8_t* block, float* out) {
  const std::uint8_t* high = block;
  const std::uint8_t* codes = block + 32;
  const std::uint8_t* scales = block + 96;
  const float d = load_half(block + 108);
  for (int j = 0; j < 16; ++j) {
    const float scale = d * static_cast<float>(q3_scale(scales, j));
    for (int i = 16 * j; i < 16 * j + 16; ++i) {
      // A set high bit means "nothing to subtract".
      const int code = two_bits(codes, i) - (high_bit(high, i) ? 0 : 4);
      out[i] = scale * static_cast<float>(code);
    }
  }
}

void dequantize_q4_k(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  const float dmin = load_half(block + 2);
  const std::uint8_t* codes = block + 16;
  for (int j = 0; j < 8; ++j) {
    const ScaleMin packed = scale_min(block + 4, j);
    const float scale = d * static_cast<float>(packed.scale);
    const float min = dmin * static_cast<float>(packed.min);
    for (int i = 32 * j; i < 32 * j + 32; ++i) {
      out[i] = scale * static_cast<float>(four_bits(codes, i)) - min;
    }
  }
}

void dequantize_q5_k(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  const float dmin = load_half(block + 2);
  const std::uint8_t* high = block + 16;
  const std::uint8_t* codes = block + 48;
  for (int j = 0; j < 8; ++j) {
    const ScaleMin packed = scale_min(block + 4, j);
    const float scale = d * static_cast<float>(packed.scale);
    const float min = dmin * static_cast<float>(packed.min);
    for (int i = 32 * j; i < 32 * j + 32; ++i) {
      const int code = four_bits(codes, i) | (high_bit(high, i) << 4);
      out[i] = scale * static_cast<float>(code) - min;
    }
  }
}

void dequantize_q6_k(const std::uint8_t* block, float* out) {
  const std::uint8_t* high = block + 128;
  const float d = load_half(block + 208);
  for (int j = 0; j < 16; ++j) {
    const float scale = d * static_cast<float>(static_cast<std::int8_t>(block[192 + j]));
    for (int i = 16 * j; i < 16 * j + 16; ++i) {
      // The low nibbles come in runs of 64 bytes, unlike the other formats.
      const int low = (block[i / 128 * 64 + i % 64] >> (i % 128 / 64 * 4)) & 15;
      out[i] = scale * static_cast<float>((low | (two_bits(high, i) << 4)) - 32);
    }
  }
}

}  // namespace tessera

// The formats' sizes and the exact expansion of the 32-weight ones.
//
// A float16 scale times the integers of any format needs at most 23 significant bits, so every
// product here is exact in float and only the last addition rounds: neither the order of the
// factors nor a fused multiply-add changes a value.
#include "tessera/core/quant_type.h"

#include "tessera/core/half.h"
#include "tessera/core/internal/dequantize_k.h"
#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/load_half.h"

namespace tessera {
namespace {

constexpr int kBlock = 32;

/// Codes of 4 bits: weight i is the low nibble of byte i, weight 16 + i its high nibble.
int nibble(const std::uint8_t* nibbles, int i) {
  return i < kBlock / 2 ? nibbles[i] & 15 : nibbles[i - kBlock / 2] >> 4;
}

/// The fifth bit of weight i, in place: 16 or 0.
int fifth_bit(const std::uint8_t* high, int i) {
  return ((high[i / 8] >> (i % 8)) & 1) << 4;
}

void dequantize_q4_0(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < kBlock; ++i) out[i] = d * static_cast<float>(nibble(block + 2, i) - 8);
}

void dequantize_q4_1(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  const float m = load_half(block + 2);
  for (int i = 0; i < kBlock; ++i) out[i] = d * static_cast<float>(nibble(block + 4, i)) + m;
}

void dequantize_q5_0(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < kBlock; ++i) {
    out[i] = d * static_cast<float>((nibble(block + 6, i) | fifth_bit(block + 2, i)) - 16);
  }
}

void dequantize_q5_1(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  const float m = load_half(block + 2);
  for (int i = 0; i < kBlock; ++i) {
    out[i] = d * static_cast<float>(nibble(block + 8, i) | fifth_bit(block + 4, i)) + m;
  }
}

void dequantize_q8_0(const std::uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < kBlock; ++i) out[i] = d * static_cast<std::int8_t>(block[2 + i]);
}

struct Format {
  std::string_view name;
  int size;   // weights of a block
  int bytes;  // bytes of a block
  void (*dequantize)(const std::uint8_t* block, float* out);
};

// In the order of QuantType.
constexpr Format kFormats[] = {
    {"q4_0", kBlock, 18, dequantize_q4_0},       {"q4_1", kBlock, 20, dequantize_q4_1},
    {"q5_0", kBlock, 22, dequantize_q5_0},       {"q5_1", kBlock, 24, dequantize_q5_1},
    {"q8_0", kBlock, 34, dequantize_q8_0},       {"q2_K", kSuperBlock, 84, dequantize_q2_k},
    {"q3_K", kSuperBlock, 110, dequantize_q3_k}, {"q4_K", kSuperBlock, 144, dequantize_q4_k},
    {"q5_K", kSuperBlock, 176, dequantize_q5_k}, {"q6_K", kSuperBlock, 210, dequantize_q6_k},
};
static_assert(std::size(kFormats) == static_cast<std::size_t>(QuantType::q6_k) + 1);

const Format& format_of(QuantType type) {
  return kFormats[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view to_string(QuantType type) {
  return format_of(type).name;
}

int block_size(QuantType type) {
  return format_of(type).size;
}

int block_bytes(QuantType type) {
  return format_of(type).bytes;
}

std::int64_t row_bytes(QuantType type, std::int64_t k) {
  const Format& format = format_of(type);
  if (k < 0 || k % format.size != 0) {
    fail(ErrorCode::shape_mismatch, "row_bytes",
         "{} packs blocks of {} weights, which do not divide a row of {}", format.name, format.size,
         k);
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(k / format.size, std::int64_t{format.bytes}, &bytes)) {
    fail(ErrorCode::shape_mismatch, "row_bytes", "a {} row of {} needs more than 2^63 - 1 bytes",
         format.name, k);
  }
  return bytes;
}

void dequantize_row(QuantType type, const std::byte* blocks, float* out, std::int64_t k) {
  const Format& format = format_of(type);
  const std::int64_t bytes = row_bytes(type, k);
  const auto* block = reinterpret_cast<const std::uint8_t*>(blocks);
  for (const std::uint8_t* end = block + bytes; block != end; block += format.bytes) {
    format.dequantize(block, out);
    out += format.size;
  }
}

}  // namespace tessera

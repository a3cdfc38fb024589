// The K-quants' storages: super-blocks of 256 with scales of their own precision (see weights.h).
#pragma once

#include "tessera/backends/cpu/isa/kernels/weights.h"

namespace tessera::cpu::isa {
namespace {

/// (byte >> shift) & mask; mask must not reach into the bits that come from the next byte.
TESSERA_INLINE B bits_of(B v, int shift, std::uint8_t mask) {
#if defined(__AVX2__)
  const __m256i words = _mm256_srl_epi16(reinterpret_cast<__m256i>(v), _mm_cvtsi32_si128(shift));
  return reinterpret_cast<B>(words) & mask;
#else
  return (v >> shift) & mask;
#endif
}

/// byte << shift, for bytes small enough to keep all their bits.
TESSERA_INLINE B raised(B v, int shift) {
#if defined(__AVX2__)
  return reinterpret_cast<B>(_mm256_slli_epi16(reinterpret_cast<__m256i>(v), shift));
#else
  return v << shift;
#endif
}

struct SixteenScales {
  float d[16], m[16];
};

struct EightScales {
  float d[8], m[8];
};

/// The 6-bit scales and mins of q4_K and q5_K: eight of each in 12 bytes.
TESSERA_INLINE void six_bit_scales(const std::uint8_t* block, EightScales& s) {
  std::uint32_t word[3];
  std::memcpy(word, block + 4, 12);
  const std::uint32_t unpacked[4] = {
      word[0] & 0x3f3f3f3f, (word[2] & 0x0f0f0f0f) | ((word[0] >> 2) & 0x30303030),  // scales
      word[1] & 0x3f3f3f3f, ((word[2] >> 4) & 0x0f0f0f0f) | ((word[1] >> 2) & 0x30303030)};
  std::uint8_t bytes[16];
  std::memcpy(bytes, unpacked, 16);
  const F d = splat(half_at(block)), m = splat(-half_at(block + 2));
  for (int i = 0; i < 8; i += kLanes) {
    store(s.d + i, d * to_float(widen_bytes(bytes + i)));
    store(s.m + i, m * to_float(widen_bytes(bytes + 8 + i)));
  }
}

struct Q2KWeights {
  static constexpr int kBlock = 256, kGroup = 32, kBytes = 84, kSub = 16;
  using Scales = SixteenScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    const F d = splat(half_at(block + 80)), m = splat(-half_at(block + 82));
    for (int i = 0; i < 16; i += kLanes) {
      const I packed = widen_bytes(block + i);
      store(s.d + i, d * to_float(packed & 15));
      store(s.m + i, m * to_float(packed >> 4));
    }
  }
  using Group = TwoScaleGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {quants(block, j), s.d + 2 * j, s.m + 2 * j};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    return bits_of(load_bytes(block + 16 + 32 * (j / 4)), 2 * (j % 4), 3);
  }
};

struct Q3KWeights {
  static constexpr int kBlock = 256, kGroup = 32, kBytes = 110, kSub = 16;
  using Scales = SixteenScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    // 16 scales of 6 bits: low nibbles in bytes 0-7, the two high bits in bytes 8-11.
    std::uint32_t word[3];
    std::memcpy(word, block + 96, 12);
    std::uint32_t unpacked[4];
    for (int i = 0; i < 4; ++i) {
      unpacked[i] = ((word[i % 2] >> (4 * (i / 2))) & 0x0f0f0f0f) |
                    (((word[2] >> (2 * i)) & 0x03030303) << 4);
    }
    std::uint8_t bytes[16];
    std::memcpy(bytes, unpacked, 16);
    const F d = splat(half_at(block + 108));
    for (int i = 0; i < 16; i += kLanes) {
      const F scale = d * to_float(widen_bytes(bytes + i) - 32);
      store(s.d + i, scale);
      store(s.m + i, scale * splat(-4));
    }
  }
  using Group = TwoScaleGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {quants(block, j), s.d + 2 * j, s.m + 2 * j};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    const B low = bits_of(load_bytes(block + 32 + 32 * (j / 4)), 2 * (j % 4), 3);
    return low | raised(bits_of(load_bytes(block), j, 1), 2);
  }
};

struct Q4KWeights {
  static constexpr int kBlock = 256, kGroup = 64, kBytes = 144, kSub = 32;
  using Scales = EightScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    six_bit_scales(block, s);
  }
  struct Group {
    const std::uint8_t* nibbles;
    const float *d, *m;
  };
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {block + 16 + 32 * j, s.d + 2 * j, s.m + 2 * j};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) {
    constexpr int kHalf = 32 / kLanes;
    const I bytes = widen_bytes(g.nibbles + v % kHalf * kLanes);
    const int high = v / kHalf;
    return fma(splat(g.d[high]), to_float(high ? bytes >> 4 : bytes & 15), splat(g.m[high]));
  }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    return bits_of(load_bytes(block + 16 + 32 * (j / 2)), 4 * (j % 2), 15);
  }
};

struct Q5KWeights {
  static constexpr int kBlock = 256, kGroup = 32, kBytes = 176, kSub = 32;
  using Scales = EightScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    six_bit_scales(block, s);
  }
  using Group = ByteGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {quants(block, j), splat(s.d[j]), splat(s.m[j])};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    const B low = bits_of(load_bytes(block + 48 + 32 * (j / 2)), 4 * (j % 2), 15);
    return low | raised(bits_of(load_bytes(block + 16), j, 1), 4);
  }
};

struct Q6KWeights {
  static constexpr int kBlock = 256, kGroup = 32, kBytes = 210, kSub = 16;
  using Scales = SixteenScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    const F d = splat(half_at(block + 208));
    for (int i = 0; i < 16; i += kLanes) {
      const auto* scale = reinterpret_cast<const std::int8_t*>(block + 192 + i);
      const F product = d * to_float(widen_signed_bytes(scale));
      store(s.d + i, product);
      store(s.m + i, product * splat(-32));
    }
  }
  using Group = TwoScaleGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {quants(block, j), s.d + 2 * j, s.m + 2 * j};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    const int half = j / 4, part = j % 4;
    const B low = bits_of(load_bytes(block + 64 * half + 32 * (part % 2)), 4 * (part / 2), 15);
    return low | raised(bits_of(load_bytes(block + 128 + 32 * half), 2 * part, 3), 4);
  }
};

}  // namespace
}  // namespace tessera::cpu::isa

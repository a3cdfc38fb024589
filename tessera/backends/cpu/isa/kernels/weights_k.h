// The K-quants' storages: super-blocks of 256 with scales of their own precision (see weights.h).
#pragma once

#include "tessera/backends/cpu/isa/kernels/weights.h"

namespace tessera::cpu::isa {
namespace {

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
  template <class Fn>
  static TESSERA_INLINE void group(const std::uint8_t* block, const Scales& s, int j, Fn fn) {
    byte_group<kSub>(quants(block, j), s.d + 2 * j, s.m + 2 * j, fn);
  }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    return (load_bytes(block + 16 + 32 * (j / 4)) >> (2 * (j % 4))) & 3;
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
  template <class Fn>
  static TESSERA_INLINE void group(const std::uint8_t* block, const Scales& s, int j, Fn fn) {
    byte_group<kSub>(quants(block, j), s.d + 2 * j, s.m + 2 * j, fn);
  }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    const B low = (load_bytes(block + 32 + 32 * (j / 4)) >> (2 * (j % 4))) & 3;
    return low | (((load_bytes(block) >> j) & 1) << 2);
  }
};

struct Q4KWeights {
  static constexpr int kBlock = 256, kGroup = 64, kBytes = 144, kSub = 32;
  using Scales = EightScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    six_bit_scales(block, s);
  }
  template <class Fn>
  static TESSERA_INLINE void group(const std::uint8_t* block, const Scales& s, int j, Fn fn) {
    constexpr int kHalf = 32 / kLanes;
    const std::uint8_t* nibbles = block + 16 + 32 * j;
    const F d0 = splat(s.d[2 * j]), m0 = splat(s.m[2 * j]);
    const F d1 = splat(s.d[2 * j + 1]), m1 = splat(s.m[2 * j + 1]);
    I bytes[kHalf];
    for (int i = 0; i < kHalf; ++i) bytes[i] = widen_bytes(nibbles + i * kLanes);
    for (int i = 0; i < kHalf; ++i) fn(i, fma(d0, to_float(bytes[i] & 15), m0));
    for (int i = 0; i < kHalf; ++i) fn(kHalf + i, fma(d1, to_float(bytes[i] >> 4), m1));
  }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    return (load_bytes(block + 16 + 32 * (j / 2)) >> (4 * (j % 2))) & 15;
  }
};

struct Q5KWeights {
  static constexpr int kBlock = 256, kGroup = 32, kBytes = 176, kSub = 32;
  using Scales = EightScales;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    six_bit_scales(block, s);
  }
  template <class Fn>
  static TESSERA_INLINE void group(const std::uint8_t* block, const Scales& s, int j, Fn fn) {
    byte_group<kSub>(quants(block, j), s.d + j, s.m + j, fn);
  }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    const B low = (load_bytes(block + 48 + 32 * (j / 2)) >> (4 * (j % 2))) & 15;
    return low | (((load_bytes(block + 16) >> j) & 1) << 4);
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
  template <class Fn>
  static TESSERA_INLINE void group(const std::uint8_t* block, const Scales& s, int j, Fn fn) {
    byte_group<kSub>(quants(block, j), s.d + 2 * j, s.m + 2 * j, fn);
  }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int j) {
    const int half = j / 4, part = j % 4;
    const B low = (load_bytes(block + 64 * half + 32 * (part % 2)) >> (4 * (part / 2))) & 15;
    const B high = (load_bytes(block + 128 + 32 * half) >> (2 * part)) & 3;
    return low | (high << 4);
  }
};

}  // namespace
}  // namespace tessera::cpu::isa

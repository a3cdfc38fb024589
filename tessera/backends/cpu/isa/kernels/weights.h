// The weight storages, each as a struct that widens its blocks to float, or to bytes with scales.
//
//   kBlock, kBytes          weights and bytes of a block;    kGroup  weights that group() yields
//   Scales, scales()        a block's scales, decoded once
//   Group, group(block, s, j)   group j, opened for
//   weights(g, v)           its vector v: exactly the floats that dequantize_row gives
//
// and for the quantised ones, w = d * q + m with q unsigned (signed in q8_0):
//   kSub                    weights that share d and m: 16 or 32
//   quants(block, j)        the 32 q of group j of 32 weights
#pragma once

#include "tessera/backends/cpu/isa/kernels/simd.h"

namespace tessera::cpu::isa {
namespace {

struct NoScales {};

struct F32Weights {
  static constexpr int kBlock = kLanes, kGroup = kLanes, kBytes = 4 * kLanes;
  using Scales = NoScales;
  struct Group {
    const std::uint8_t* at;
  };
  static TESSERA_INLINE void scales(const std::uint8_t*, Scales&) {}
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales&, int) {
    return {block};
  }
  static TESSERA_INLINE F weights(const Group& g, int) {
    return *reinterpret_cast<const UnalignedF*>(g.at);
  }
  static TESSERA_INLINE F tail(const std::uint8_t* at, int n) {
    float values[kLanes] = {};
    std::memcpy(values, at, 4 * static_cast<std::size_t>(n));
    return load(values);
  }
};

struct F16Weights {
  static constexpr int kBlock = kLanes, kGroup = kLanes, kBytes = 2 * kLanes;
  using Scales = NoScales;
  struct Group {
    const std::uint8_t* at;
  };
  static TESSERA_INLINE void scales(const std::uint8_t*, Scales&) {}
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales&, int) {
    return {block};
  }
  static TESSERA_INLINE F weights(const Group& g, int) {
    return load_f16(reinterpret_cast<const std::uint16_t*>(g.at));
  }
  static TESSERA_INLINE F tail(const std::uint8_t* at, int n) {
    std::uint16_t values[kLanes] = {};
    std::memcpy(values, at, 2 * static_cast<std::size_t>(n));
    return load_f16(values);
  }
};

struct Bf16Weights {
  static constexpr int kBlock = kLanes, kGroup = kLanes, kBytes = 2 * kLanes;
  using Scales = NoScales;
  struct Group {
    const std::uint8_t* at;
  };
  static TESSERA_INLINE void scales(const std::uint8_t*, Scales&) {}
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales&, int) {
    return {block};
  }
  static TESSERA_INLINE F weights(const Group& g, int) {
    return load_bf16(reinterpret_cast<const std::uint16_t*>(g.at));
  }
  static TESSERA_INLINE F tail(const std::uint8_t* at, int n) {
    std::uint16_t values[kLanes] = {};
    std::memcpy(values, at, 2 * static_cast<std::size_t>(n));
    return load_bf16(values);
  }
};

/// The 32 nibbles of 16 bytes, low ones first.
TESSERA_INLINE B spread_nibbles(const std::uint8_t* nibbles) {
  HalfB v;
  std::memcpy(&v, nibbles, 16);
#if defined(__AVX2__)
  const __m128i low = reinterpret_cast<__m128i>(v);
  return reinterpret_cast<B>(_mm256_set_m128i(_mm_srli_epi16(low, 4), low)) & 15;
#else
  const HalfB halves[2] = {v & 15, v >> 4};
  return load_bytes(halves);
#endif
}

/// 32 bits to 32 bytes of 0 or 16.
TESSERA_INLINE B spread_fifth_bits(const std::uint8_t* p) {
#if defined(__AVX2__)
  std::int32_t bits;
  std::memcpy(&bits, p, 4);
  const __m256i byte_of = _mm256_setr_epi64x(0x0000000000000000, 0x0101010101010101,
                                             0x0202020202020202, 0x0303030303030303);
  const __m256i bit_of = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i spread =
      _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(bits), byte_of), bit_of);
  return reinterpret_cast<B>(
      _mm256_and_si256(_mm256_cmpeq_epi8(spread, bit_of), _mm256_set1_epi8(16)));
#else
  std::uint8_t out[32];
  for (int i = 0; i < 32; ++i) out[i] = static_cast<std::uint8_t>(((p[i / 8] >> (i % 8)) & 1) << 4);
  return load_bytes(out);
#endif
}

/// 16 bytes of nibbles: low ones are weights 0-15, high ones 16-31.
struct NibbleGroup {
  const std::uint8_t* nibbles;
  F d, m;

  TESSERA_INLINE F weights(int v) const {
    constexpr int kHalf = 16 / kLanes;
    const I bytes = widen_bytes(nibbles + v % kHalf * kLanes);
    return fma(d, to_float(v < kHalf ? bytes & 15 : bytes >> 4), m);
  }
};

/// 32 unsigned quants, put down in memory, whence a widening load costs half of what crossing lanes
/// does in registers; the empty statement keeps the compiler from seeing through it.
struct ByteGroup {
  alignas(32) std::uint8_t bytes[32];
  F d, m;

  TESSERA_INLINE ByteGroup(B quants, F scale, F minimum) : d(scale), m(minimum) {
    std::memcpy(bytes, &quants, 32);
#if defined(__AVX2__)
    asm("" : "+m"(bytes));
#endif
  }
  TESSERA_INLINE F weights(int v) const {
    return fma(d, to_float(widen_bytes(bytes + v * kLanes)), m);
  }
};

/// The same with a scale and minimum for each half.
struct TwoScaleGroup {
  alignas(32) std::uint8_t bytes[32];
  const float *d, *m;

  TESSERA_INLINE TwoScaleGroup(B quants, const float* scales, const float* minima)
      : d(scales), m(minima) {
    std::memcpy(bytes, &quants, 32);
#if defined(__AVX2__)
    asm("" : "+m"(bytes));
#endif
  }
  TESSERA_INLINE F weights(int v) const {
    const int half = v * kLanes / 16;
    return fma(splat(d[half]), to_float(widen_bytes(bytes + v * kLanes)), splat(m[half]));
  }
};

/// One pair for a whole block, in every lane.
struct OneScale {
  F d, m;
};

struct Q4_0Weights {
  static constexpr int kBlock = 32, kGroup = 32, kBytes = 18, kSub = 32;
  using Scales = OneScale;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    s.d = splat_half(block);
    s.m = s.d * splat(-8);
  }
  using Group = NibbleGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int) {
    return {block + 2, s.d, s.m};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int) {
    return spread_nibbles(block + 2);
  }
};

struct Q4_1Weights {
  static constexpr int kBlock = 32, kGroup = 32, kBytes = 20, kSub = 32;
  using Scales = OneScale;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    splat_two_halves(block, s.d, s.m);
  }
  using Group = NibbleGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int) {
    return {block + 4, s.d, s.m};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int) {
    return spread_nibbles(block + 4);
  }
};

struct Q5_0Weights {
  static constexpr int kBlock = 32, kGroup = 32, kBytes = 22, kSub = 32;
  using Scales = OneScale;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    s.d = splat_half(block);
    s.m = s.d * splat(-16);
  }
  using Group = ByteGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {quants(block, j), s.d, s.m};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int) {
    return spread_nibbles(block + 6) | spread_fifth_bits(block + 2);
  }
};

struct Q5_1Weights {
  static constexpr int kBlock = 32, kGroup = 32, kBytes = 24, kSub = 32;
  using Scales = OneScale;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    splat_two_halves(block, s.d, s.m);
  }
  using Group = ByteGroup;
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int j) {
    return {quants(block, j), s.d, s.m};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) { return g.weights(v); }
  static TESSERA_INLINE B quants(const std::uint8_t* block, int) {
    return spread_nibbles(block + 8) | spread_fifth_bits(block + 4);
  }
};

struct Q8_0Weights {
  static constexpr int kBlock = 32, kGroup = 32, kBytes = 34, kSub = 32;
  using Scales = OneScale;
  static TESSERA_INLINE void scales(const std::uint8_t* block, Scales& s) {
    s.d = splat_half(block);
    s.m = F{};
  }
  struct Group {
    const std::int8_t* q;
    F d;
  };
  static TESSERA_INLINE Group group(const std::uint8_t* block, const Scales& s, int) {
    return {reinterpret_cast<const std::int8_t*>(block + 2), s.d};
  }
  static TESSERA_INLINE F weights(const Group& g, int v) {
    return g.d * to_float(widen_signed_bytes(g.q + v * kLanes));
  }
  /// Signed.
  static TESSERA_INLINE B quants(const std::uint8_t* block, int) { return load_bytes(block + 2); }
};

}  // namespace
}  // namespace tessera::cpu::isa

// Linear layers over weights quantised in groups, computed from their packed form. Weights are
// widened and summed as in linear_kernels.h, so the results are those of the expanded matrix.
//
// A code type widens eight codes, which lie in kBits whole bytes:
//   values(at, v)   its vector v of them
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/backends/cpu/isa/kernels/gemm_kernels.h"
#include "tessera/backends/cpu/isa/kernels/linear_kernels.h"

namespace tessera::cpu::isa {
namespace {

constexpr int kEight = 8 / kLanes;  // vectors of eight codes

template <int kWidth>
TESSERA_INLINE I integer_codes(const std::uint8_t* at, int v) {
  if constexpr (kWidth == 8) {
    return widen_bytes(at + v * kLanes);
  } else {
    constexpr int b = kWidth, kMask = (1 << kWidth) - 1;
    std::uint64_t word = 0;
    std::memcpy(&word, at, kWidth);
#if defined(__AVX2__)
    if constexpr (kWidth <= 4) {
      const I shifts = {0, b, 2 * b, 3 * b, 4 * b, 5 * b, 6 * b, 7 * b};
      return splat_int(static_cast<std::int32_t>(word)) >> shifts & kMask;
    } else {
      // Eight codes are more than a lane holds: each half of the lanes gets four.
      const auto low = static_cast<std::int32_t>(word);
      const auto high = static_cast<std::int32_t>(word >> 4 * b);
      const I words = {low, low, low, low, high, high, high, high};
      const I shifts = {0, b, 2 * b, 3 * b, 0, b, 2 * b, 3 * b};
      return words >> shifts & kMask;
    }
#else
    word >>= kLanes * b * v;
    I codes;
    for (int i = 0; i < kLanes; ++i) codes[i] = static_cast<std::int32_t>(word >> i * b) & kMask;
    return codes;
#endif
  }
}

template <int kWidth>
struct IntegerCodes {
  static constexpr int kBits = kWidth;
  static TESSERA_INLINE F values(const std::uint8_t* at, int v) {
    return to_float(integer_codes<kWidth>(at, v));
  }
};

struct E2m1Codes {
  static constexpr int kBits = 4;
  static TESSERA_INLINE F values(const std::uint8_t* at, int v) {
    const I codes = integer_codes<4>(at, v);
#if defined(__AVX2__)
    const __m256 magnitudes = _mm256_setr_ps(0, 0.5f, 1, 1.5f, 2, 3, 4, 6);
    const F magnitude = _mm256_permutevar8x32_ps(magnitudes, reinterpret_cast<__m256i>(codes));
#else
    constexpr float kMagnitudes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    F magnitude;
    for (int i = 0; i < kLanes; ++i) magnitude[i] = kMagnitudes[codes[i] & 7];
#endif
    return as_float(as_int(magnitude) | (codes & 8) << 28);
  }
};

TESSERA_INLINE F widen_e4m3(I codes) {
  const I magnitude = codes & 0x7f;
  // Normal: the exponent's bias moves from 7 to 127. Subnormal: steps of 2^-9.
  const F normal = as_float((magnitude << 20) + (120 << 23));
  const F subnormal = to_float(magnitude) * splat(0x1p-9f);
  const I nan = (magnitude == 0x7f) & 0x7fc00000;
  const I sign = (codes & 0x80) << 24;
  return as_float(as_int(select(magnitude < 8, subnormal, normal)) | nan | sign);
}

struct E4m3Codes {
  static constexpr int kBits = 8;
  static TESSERA_INLINE F values(const std::uint8_t* at, int v) {
    return widen_e4m3(integer_codes<8>(at, v));
  }
};

/// Scales and biases of `count` groups from `first` on of a row, as floats.
void widen_terms(const GroupedRows& w, std::int64_t row, std::int64_t first, std::int64_t count,
                 float* scales, float* biases) {
  const std::int64_t at = row * w.scales_stride + first;
  const auto widen_floats = [&](const void* from, float* to) {
    switch (w.scale_type) {
      case ScaleType::f16:
        return widen<FloatType::f16>(static_cast<const std::uint16_t*>(from) + at, to, count);
      case ScaleType::bf16:
        return widen<FloatType::bf16>(static_cast<const std::uint16_t*>(from) + at, to, count);
      default: return widen<FloatType::f32>(static_cast<const float*>(from) + at, to, count);
    }
  };
  if (w.scale_type == ScaleType::e8m0 || w.scale_type == ScaleType::e4m3) {
    const std::uint8_t* bytes = static_cast<const std::uint8_t*>(w.scales) + at;
    for (std::int64_t i = 0; i < count; ++i) {
      if (w.scale_type == ScaleType::e4m3) {
        scales[i] = widen_e4m3(splat_int(bytes[i]))[0];
      } else {
        const std::uint32_t bits =
            bytes[i] == 0 ? 0x400000u : static_cast<std::uint32_t>(bytes[i]) << 23;
        std::memcpy(scales + i, &bits, 4);
      }
    }
    // Adding -0 changes nothing, not even the sign of a zero.
    for (std::int64_t i = 0; i < count; ++i) biases[i] = -0.0f;
    return;
  }
  widen_floats(w.scales, scales);
  if (w.biases) return widen_floats(w.biases, biases);
  for (std::int64_t i = 0; i < count; ++i) biases[i] = scales[i] * w.bias_per_scale;
}

TESSERA_INLINE const std::uint8_t* codes_at(const GroupedRows& w, std::int64_t row, std::int64_t k,
                                            int bits) {
  return static_cast<const std::uint8_t*>(w.codes) + row * w.codes_stride + k * bits / 8;
}

template <class C>
void widen_grouped(const GroupedRows& w, std::int64_t row, std::int64_t k_begin, std::int64_t k_end,
                   float* out) {
  constexpr std::int64_t kGroups = 64;
  float scales[kGroups], biases[kGroups];
  const std::uint8_t* at = codes_at(w, row, k_begin, C::kBits);
  const std::int64_t last = k_end / w.group_size;
  for (std::int64_t group = k_begin / w.group_size; group < last; group += kGroups) {
    const std::int64_t count = last - group < kGroups ? last - group : kGroups;
    widen_terms(w, row, group, count, scales, biases);
    for (std::int64_t g = 0; g < count; ++g) {
      const F scale = splat(scales[g]), bias = splat(biases[g]);
      for (int i = 0; i < w.group_size; i += 8, at += C::kBits, out += 8) {
        TESSERA_UNROLL for (int v = 0; v < kEight; ++v) {
          store(out + v * kLanes, C::values(at, v) * scale + bias);
        }
      }
    }
  }
}

/// Rows n..n+R against one row of x, weights used as they are widened.
template <class C, int R>
void grouped_tile(const LinearTask& t, const GroupedRows& w, std::int64_t n) {
  constexpr std::int64_t kGroups = 64;
  float scales[R][kGroups], biases[R][kGroups];
  const std::uint8_t* at[R];
  F acc[R] = {};
  TESSERA_UNROLL for (int r = 0; r < R; ++r) at[r] = codes_at(w, n + r, 0, C::kBits);
  const float* x = t.x;
  const std::int64_t groups = t.k / w.group_size;
  for (std::int64_t group = 0; group < groups; group += kGroups) {
    const std::int64_t count = groups - group < kGroups ? groups - group : kGroups;
    for (int r = 0; r < R; ++r) widen_terms(w, n + r, group, count, scales[r], biases[r]);
    for (std::int64_t g = 0; g < count; ++g) {
      F scale[R], bias[R];
      TESSERA_UNROLL for (int r = 0; r < R; ++r) {
        scale[r] = splat(scales[r][g]);
        bias[r] = splat(biases[r][g]);
      }
      for (int i = 0; i < w.group_size; i += 8, x += 8) {
        TESSERA_UNROLL for (int v = 0; v < kEight; ++v) {
          const F value = load(x + v * kLanes);
          TESSERA_UNROLL for (int r = 0; r < R; ++r) {
            acc[r] = fma(C::values(at[r], v) * scale[r] + bias[r], value, acc[r]);
          }
        }
        TESSERA_UNROLL for (int r = 0; r < R; ++r) at[r] += C::kBits;
      }
    }
  }
  TESSERA_UNROLL for (int r = 0; r < R; ++r) write_output(t, 0, n + r, sum_lanes(acc[r]));
}

template <class C>
void linear_grouped(const LinearTask& t, const GroupedRows& w, std::int64_t n, std::int64_t n_end) {
  constexpr std::int64_t kLargestGroup = 128;
  if (t.m > 1) {
    return panel_product<kLargestGroup>(
        t, n, n_end, [&w](std::int64_t row, std::int64_t k0, std::int64_t k1, float* out) {
          widen_grouped<C>(w, row, k0, k1, out);
        });
  }
  for (; n + 4 <= n_end; n += 4) grouped_tile<C, 4>(t, w, n);
  for (; n < n_end; ++n) grouped_tile<C, 1>(t, w, n);
}

}  // namespace
}  // namespace tessera::cpu::isa

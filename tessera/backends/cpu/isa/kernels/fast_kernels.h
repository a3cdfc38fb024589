// The fast mode of quantised linear layers: activations rounded to int8 with a scale per 32, and
// integer dots. With w = d * q + m,
//
//   sum of w x  =  d * x_scale * (sum of q x_q)  +  m * (x_scale * sum of x_q)
//
// 16-bit sums of two products cannot overflow: q < 64 and |x_q| <= 127, or |q| <= 128 in q8_0.
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/backends/cpu/isa/kernels/group_scales.h"
#include "tessera/backends/cpu/isa/kernels/linear_kernels.h"

namespace tessera::cpu::isa {
namespace {

/// Sums of q * x over 32 / kLanes neighbours: the lanes keep the order of k.
template <bool kSigned>
TESSERA_INLINE F integer_dot(B q, const std::int8_t* x) {
#if defined(__AVX2__)
  const __m256i b = reinterpret_cast<__m256i>(load_bytes(x));
  __m256i a = reinterpret_cast<__m256i>(q), pairs;
  if constexpr (kSigned) {
    pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(b, a));
  } else {
    pairs = _mm256_maddubs_epi16(a, b);
  }
  return to_float(reinterpret_cast<I>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
#else
  std::uint8_t bytes[32];
  std::memcpy(bytes, &q, 32);
  constexpr int kRun = 32 / kLanes;
  std::int32_t sums[kLanes] = {};
  for (int i = 0; i < 32; ++i) {
    const int value = kSigned ? static_cast<std::int8_t>(bytes[i]) : bytes[i];
    sums[i / kRun] += value * x[i];
  }
  I out;
  std::memcpy(&out, sums, sizeof(out));
  return to_float(out);
#endif
}

template <class W, int R, int M, bool kSigned>
void fast_tile(const LinearTask& t, const QuantizedRows& x, std::int64_t n, std::int64_t m) {
  const std::uint8_t* w[R];
  const std::int8_t* q[M];
  const float *x_scale[M], *x_sum[M];
  F acc[R][M] = {};
  float minima[R][M] = {};
  const std::int64_t groups = t.k / 32;
  TESSERA_UNROLL for (int r = 0; r < R; ++r) {
    w[r] = static_cast<const std::uint8_t*>(t.w) + (n + r) * t.w_stride;
  }
  TESSERA_UNROLL for (int i = 0; i < M; ++i) {
    q[i] = x.q + (m + i) * t.k;
    x_scale[i] = x.scale + (m + i) * groups;
    x_sum[i] = W::kSub == 16 ? x.sum_of_16 + (m + i) * 2 * groups : x.sum_of_32 + (m + i) * groups;
  }
  for (std::int64_t g = 0; g < groups; g += W::kBlock / 32) {
    // As in register_tile: the scales of super-blocks are decoded ahead.
    constexpr bool kAhead = W::kBlock > 32;
    typename W::Scales scales[kAhead ? R : 1];
    if constexpr (kAhead) {
      TESSERA_UNROLL for (int r = 0; r < R; ++r) W::scales(w[r], scales[r]);
    }
    for (int j = 0; j < W::kBlock / 32; ++j) {
      const std::int64_t at = g + j;
      TESSERA_UNROLL for (int r = 0; r < R; ++r) {
        if constexpr (!kAhead) W::scales(w[r], scales[0]);
        const typename W::Scales& s = scales[kAhead ? r : 0];
        const B quants = W::quants(w[r], j);
        F scale;
        if constexpr (W::kSub == 16)
          scale = two_scales(s.d + 2 * j);
        else
          scale = group_scale(s, j);
        TESSERA_UNROLL for (int i = 0; i < M; ++i) {
          acc[r][i] = fma(scale * splat(x_scale[i][at]),
                          integer_dot<kSigned>(quants, q[i] + 32 * at), acc[r][i]);
          if constexpr (W::kSub == 16) {
            minima[r][i] = scalar_fma(s.m[2 * j], x_sum[i][2 * at], minima[r][i]);
            minima[r][i] = scalar_fma(s.m[2 * j + 1], x_sum[i][2 * at + 1], minima[r][i]);
          } else if constexpr (!kSigned) {
            minima[r][i] = scalar_fma(group_minimum(s, j), x_sum[i][at], minima[r][i]);
          }
        }
      }
    }
    TESSERA_UNROLL for (int r = 0; r < R; ++r) w[r] += W::kBytes;
  }
  TESSERA_UNROLL for (int r = 0; r < R; ++r) {
    TESSERA_UNROLL for (int i = 0; i < M; ++i) {
      write_output(t, m + i, n + r, sum_lanes(acc[r][i]) + minima[r][i]);
    }
  }
}

template <class W, int R, int M, bool kSigned>
void fast_rows(const LinearTask& t, const QuantizedRows& x, std::int64_t n, std::int64_t end,
               std::int64_t m) {
  for (; n + R <= end; n += R) fast_tile<W, R, M, kSigned>(t, x, n, m);
  for (; n < end; ++n) fast_tile<W, 1, M, kSigned>(t, x, n, m);
}

template <class W, bool kSigned = false>
void linear_fast(const LinearTask& t, const QuantizedRows& x, std::int64_t n_begin,
                 std::int64_t n_end) {
  // A strip of W that stays in L1 while every row of x passes over it.
  constexpr std::int64_t kStrip = 16;
  for (std::int64_t n = n_begin; n < n_end; n += kStrip) {
    const std::int64_t end = n + kStrip < n_end ? n + kStrip : n_end;
    std::int64_t m = 0;
    for (; m + 4 <= t.m; m += 4) fast_rows<W, 2, 4, kSigned>(t, x, n, end, m);
    for (; m < t.m; ++m) fast_rows<W, 4, 1, kSigned>(t, x, n, end, m);
  }
}

/// Rounds to the nearest of 127 steps either way; a group with NaN or infinity in it turns NaN.
void quantize_row(const float* x, std::int64_t k, const QuantizedRows& rows, std::int64_t m) {
  for (std::int64_t group = m * k / 32; group < (m + 1) * k / 32; ++group, x += 32) {
    F top{};
    I odd{};
    for (int i = 0; i < 32; i += kLanes) {
      const F v = absolute(load(x + i));
      top = select(v > top, v, top);
      odd |= ~(v < splat(__builtin_inff()));
    }
    const float largest = max_lanes(top);
    bool finite = true;
    for (int i = 0; i < kLanes; ++i) finite &= odd[i] == 0;
    const float inverse = largest > 0 && finite ? 127 / largest : 0;
    const float scale = finite ? largest / 127 : __builtin_nanf("");
    int sums[2] = {};
    for (int i = 0; i < 32; i += kLanes) {
      // Adding 1.5 * 2^23 leaves the rounded integer in the low bits.
      const F magic = splat(0x1.8p23f);
      const F scaled = finite ? load(x + i) * splat(inverse) : F{};
      const I q = as_int(scaled + magic) - as_int(magic);
      for (int lane = 0; lane < kLanes; ++lane) {
        rows.q[group * 32 + i + lane] = static_cast<std::int8_t>(q[lane]);
        sums[i / 16] += q[lane];
      }
    }
    rows.scale[group] = scale;
    rows.sum_of_16[2 * group] = scale * static_cast<float>(sums[0]);
    rows.sum_of_16[2 * group + 1] = scale * static_cast<float>(sums[1]);
    rows.sum_of_32[group] = scale * static_cast<float>(sums[0] + sums[1]);
  }
}

}  // namespace
}  // namespace tessera::cpu::isa

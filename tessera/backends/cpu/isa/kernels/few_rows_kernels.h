// Quantised linear layers for up to four rows of x, as a decoder's steps have: the scale and the
// minimum of a group are taken out of its sum. With w = d * q + m,
//
//   sum of w x  =  d * (sum of q x)  +  m * (sum of x)
//
// so that widening a weight is a shuffle and a conversion, and nothing else. Products and sums are
// float32; q is exact.
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/backends/cpu/isa/kernels/group_scales.h"
#include "tessera/backends/cpu/isa/kernels/linear_kernels.h"

namespace tessera::cpu::isa {
namespace {

constexpr int kGroupVectors = 32 / kLanes;

/// The 32 quants of a group as kGroupVectors vectors of floats, times kUnit.
///
/// With eight lanes, vector v holds weights 4 v to 4 v + 3 and, in its upper half, 16 + 4 v to
/// 16 + 4 v + 3: what a shuffle within 16-byte lanes can reach. With four, they are in order.
template <bool kSigned>
class WidenedGroup {
 public:
#if defined(__AVX2__)
  /// Signed bytes go to the top of their words, where the sign is right without extension.
  static constexpr float kUnit = kSigned ? 0x1p24f : 1;

  explicit TESSERA_INLINE WidenedGroup(B q) : q_(reinterpret_cast<__m256i>(q)) {}

  TESSERA_INLINE F vector(int v) const {
    // An index of 0x80 gives a zero byte.
    constexpr int kAt = kSigned ? 24 : 0;
    const auto word = [v](int i) {
      return static_cast<int>((0x80808080u & ~(0xffu << kAt)) | static_cast<unsigned>(4 * v + i)
                                                                    << kAt);
    };
    const __m256i pick =
        _mm256_setr_epi32(word(0), word(1), word(2), word(3), word(0), word(1), word(2), word(3));
    return to_float(reinterpret_cast<I>(_mm256_shuffle_epi8(q_, pick)));
  }

 private:
  __m256i q_;
#else
  static constexpr float kUnit = 1;

  explicit TESSERA_INLINE WidenedGroup(B q) {
    std::memcpy(bytes_, &q, 32);
  }

  TESSERA_INLINE F vector(int v) const {
    if constexpr (kSigned) {
      return to_float(
          widen_signed_bytes(reinterpret_cast<const std::int8_t*>(bytes_) + v * kLanes));
    } else {
      return to_float(widen_bytes(bytes_ + v * kLanes));
    }
  }

 private:
  std::uint8_t bytes_[32];
#endif

 public:
  /// Products with vectors [begin, end) of a group of x, summed lane by lane.
  TESSERA_INLINE F dot(const float* x, int begin, int end) const {
    F sum = vector(begin) * load(x + begin * kLanes);
    TESSERA_UNROLL for (int v = begin + 1; v < end; ++v) {
      sum = fma(vector(v), load(x + v * kLanes), sum);
    }
    return sum;
  }
};

/// x in the order of WidenedGroup's vectors, and its sums.
void group_row(const float* x, std::int64_t k, const GroupedRows& rows, std::int64_t m) {
  for (std::int64_t group = m * k / 32; group < (m + 1) * k / 32; ++group, x += 32) {
    float sums[2];
    for (int half = 0; half < 2; ++half) {
      F sum{};
      for (int i = 0; i < 16; i += kLanes) sum += load(x + 16 * half + i);
      sums[half] = sum_lanes(sum);
    }
    rows.sum_of_16[2 * group] = sums[0];
    rows.sum_of_16[2 * group + 1] = sums[1];
    rows.sum_of_32[group] = sums[0] + sums[1];
    float* out = rows.x + 32 * group;
    for (int i = 0; i < 16; i += 4) {
      const int low = kLanes == 8 ? 2 * i : i, high = kLanes == 8 ? 2 * i + 4 : 16 + i;
      std::memcpy(out + low, x + i, 16);
      std::memcpy(out + high, x + 16 + i, 16);
    }
  }
}

/// Rows n..n+R of W against rows 0..M of x.
template <class W, int R, int M, bool kSigned>
void few_rows_tile(const LinearTask& t, const GroupedRows& x, std::int64_t n) {
  const std::uint8_t* w[R];
  const float *rows[M], *x_sum[M];
  F acc[R][M] = {};
  float minima[R][M] = {};
  const std::int64_t groups = t.k / 32;
  TESSERA_UNROLL for (int r = 0; r < R; ++r) {
    w[r] = static_cast<const std::uint8_t*>(t.w) + (n + r) * t.w_stride;
  }
  TESSERA_UNROLL for (int i = 0; i < M; ++i) {
    rows[i] = x.x + i * t.k;
    x_sum[i] = W::kSub == 16 ? x.sum_of_16 + i * 2 * groups : x.sum_of_32 + i * groups;
  }
  const std::int64_t ahead = 2 * R * t.w_stride;  // see register_tile
  for (std::int64_t g = 0; g < groups; g += W::kBlock / 32) {
    TESSERA_UNROLL for (int r = 0; r < R; ++r) {
      for (int line = 0; line < W::kBytes; line += 64) __builtin_prefetch(w[r] + ahead + line);
    }
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
        const WidenedGroup<kSigned> q(W::quants(w[r], j));
        TESSERA_UNROLL for (int i = 0; i < M; ++i) {
          const float* group = rows[i] + 32 * at;
          if constexpr (W::kSub == 32) {
            const F scale = group_scale(s, j) * splat(1 / WidenedGroup<kSigned>::kUnit);
            acc[r][i] = fma(scale, q.dot(group, 0, kGroupVectors), acc[r][i]);
            if constexpr (!kSigned) {
              minima[r][i] = scalar_fma(group_minimum(s, j), x_sum[i][at], minima[r][i]);
            }
          } else {
            if constexpr (kLanes == 8) {
              acc[r][i] = fma(two_scales(s.d + 2 * j), q.dot(group, 0, kGroupVectors), acc[r][i]);
            } else {
              constexpr int kHalf = kGroupVectors / 2;
              acc[r][i] = fma(splat(s.d[2 * j]), q.dot(group, 0, kHalf), acc[r][i]);
              acc[r][i] = fma(splat(s.d[2 * j + 1]), q.dot(group, kHalf, kGroupVectors), acc[r][i]);
            }
            minima[r][i] = scalar_fma(s.m[2 * j], x_sum[i][2 * at], minima[r][i]);
            minima[r][i] = scalar_fma(s.m[2 * j + 1], x_sum[i][2 * at + 1], minima[r][i]);
          }
        }
      }
    }
    TESSERA_UNROLL for (int r = 0; r < R; ++r) w[r] += W::kBytes;
  }
  TESSERA_UNROLL for (int i = 0; i < M; ++i) {
    float dots[R];
    if constexpr (R == 4) {
      sum_lanes_of_4(acc[0][i], acc[1][i], acc[2][i], acc[3][i], dots);
    } else {
      TESSERA_UNROLL for (int r = 0; r < R; ++r) dots[r] = sum_lanes(acc[r][i]);
    }
    TESSERA_UNROLL for (int r = 0; r < R; ++r) write_output(t, i, n + r, dots[r] + minima[r][i]);
  }
}

template <class W, int R, int M, bool kSigned>
void few_rows_of(const LinearTask& t, const GroupedRows& x, std::int64_t n, std::int64_t end) {
  for (; n + R <= end; n += R) few_rows_tile<W, R, M, kSigned>(t, x, n);
  for (; n < end; ++n) few_rows_tile<W, 1, M, kSigned>(t, x, n);
}

template <class W, bool kSigned = false>
void linear_few(const LinearTask& t, const GroupedRows& x, std::int64_t n_begin,
                std::int64_t n_end) {
  switch (t.m) {
    case 1: return few_rows_of<W, 4, 1, kSigned>(t, x, n_begin, n_end);
    case 2: return few_rows_of<W, 4, 2, kSigned>(t, x, n_begin, n_end);
    case 3: return few_rows_of<W, 2, 3, kSigned>(t, x, n_begin, n_end);
    default: return few_rows_of<W, 2, 4, kSigned>(t, x, n_begin, n_end);
  }
}

}  // namespace
}  // namespace tessera::cpu::isa

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

/// The 32 quants of a group as vectors of floats, times kUnit.
///
/// With eight lanes, vector v holds weights 4 v to 4 v + 3 and, in its upper half, 16 + 4 v to
/// 16 + 4 v + 3: what a shuffle within 16-byte lanes can reach. With four, they are in order.
template <bool kSigned>
class WidenedGroup {
 public:
#if defined(__AVX2__)
  /// Signed bytes go to the top of their words, where the sign is right without extension.
  static constexpr float kUnit = kSigned ? 0x1p24f : 1;

  WidenedGroup() = default;
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

  WidenedGroup() = default;
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
};

/// A group is summed in parts of four vectors: with four lanes, each half of its weights is one.
constexpr int kGroupParts = 8 / kLanes;
constexpr int kPartVectors = 4;

/// x in the order of WidenedGroup's vectors, and the sum of each part's vectors.
void sum_row(const float* x, std::int64_t k, const SummedRows& rows, std::int64_t m) {
  float* out = rows.x + m * k;
  float* sums = rows.sums + m * k / 4;
  for (const float* end = x + k; x < end; x += 32, out += 32) {
    for (int i = 0; i < 16; i += 4) {
      std::memcpy(out + (kLanes == 8 ? 2 * i : i), x + i, 16);
      std::memcpy(out + (kLanes == 8 ? 2 * i + 4 : 16 + i), x + 16 + i, 16);
    }
    for (int part = 0; part < kGroupParts; ++part, sums += kLanes) {
      const float* v = out + part * kPartVectors * kLanes;
      store(sums, (load(v) + load(v + kLanes)) + (load(v + 2 * kLanes) + load(v + 3 * kLanes)));
    }
  }
}

/// The scales and minima of part `part` of group j, lane by lane.
TESSERA_INLINE void part_scales(const OneScale& s, int, int, F& d, F& m) {
  d = s.d;
  m = s.m;
}
TESSERA_INLINE void part_scales(const EightScales& s, int j, int, F& d, F& m) {
  d = splat(s.d[j]);
  m = splat(s.m[j]);
}
TESSERA_INLINE void part_scales(const SixteenScales& s, int j, int part, F& d, F& m) {
  if constexpr (kGroupParts == 1) {
    d = two_scales(s.d + 2 * j);
    m = two_scales(s.m + 2 * j);
  } else {
    d = splat(s.d[2 * j + part]);
    m = splat(s.m[2 * j + part]);
  }
}

/// Rows n..n+R of W against rows 0..M of x.
template <class W, int R, int M, bool kSigned>
void few_rows_tile(const LinearTask& t, const SummedRows& x, std::int64_t n) {
  using Group = WidenedGroup<kSigned>;
  const std::uint8_t* w[R];
  const float *rows[M], *sums[M];
  F acc[R][M] = {};
  TESSERA_UNROLL for (int r = 0; r < R; ++r) {
    w[r] = static_cast<const std::uint8_t*>(t.w) + (n + r) * t.w_stride;
  }
  TESSERA_UNROLL for (int i = 0; i < M; ++i) {
    rows[i] = x.x + i * t.k;
    sums[i] = x.sums + i * t.k / 4;
  }
  const std::int64_t ahead = 2 * R * t.w_stride;  // see register_tile
  for (std::int64_t k = 0; k < t.k; k += W::kBlock) {
    TESSERA_UNROLL for (int r = 0; r < R; ++r) {
      for (int line = 0; line < W::kBytes; line += 64) __builtin_prefetch(w[r] + ahead + line);
    }
    // Scales of a whole super-block are decoded ahead; of a single group, where they are used.
    constexpr bool kAhead = W::kBlock > 32;
    typename W::Scales scales[R];
    if constexpr (kAhead) {
      TESSERA_UNROLL for (int r = 0; r < R; ++r) W::scales(w[r], scales[r]);
    }
    for (int j = 0; j < W::kBlock / 32; ++j) {
      Group q[R];
      TESSERA_UNROLL for (int r = 0; r < R; ++r) q[r] = Group(W::quants(w[r], j));
      TESSERA_UNROLL for (int part = 0; part < kGroupParts; ++part) {
        // Rows advance in lockstep: a scheduler sees only some dozens of operations ahead, and one
        // row's chain of multiply-adds would fill them and leave the processor idle.
        F dots[R][M];
        TESSERA_UNROLL for (int v = 0; v < kPartVectors; ++v) {
          const int vector = part * kPartVectors + v;
          TESSERA_UNROLL for (int r = 0; r < R; ++r) {
            const F weight = q[r].vector(vector);
            TESSERA_UNROLL for (int i = 0; i < M; ++i) {
              const F value = load(rows[i] + vector * kLanes);
              dots[r][i] = v == 0 ? weight * value : fma(weight, value, dots[r][i]);
            }
          }
        }
        TESSERA_UNROLL for (int r = 0; r < R; ++r) {
          if constexpr (!kAhead) W::scales(w[r], scales[r]);
          F d, m;
          part_scales(scales[r], j, part, d, m);
          if constexpr (Group::kUnit != 1) d *= splat(1 / Group::kUnit);
          TESSERA_UNROLL for (int i = 0; i < M; ++i) {
            acc[r][i] = fma(d, dots[r][i], acc[r][i]);
            if constexpr (!kSigned) {
              acc[r][i] = fma(m, load(sums[i] + part * kLanes), acc[r][i]);
            }
          }
        }
      }
      TESSERA_UNROLL for (int i = 0; i < M; ++i) {
        rows[i] += 32;
        sums[i] += 8;
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
    TESSERA_UNROLL for (int r = 0; r < R; ++r) write_output(t, i, n + r, dots[r]);
  }
}

template <class W, int R, int M, bool kSigned>
void few_rows_of(const LinearTask& t, const SummedRows& x, std::int64_t n, std::int64_t end) {
  for (; n + R <= end; n += R) few_rows_tile<W, R, M, kSigned>(t, x, n);
  for (; n < end; ++n) few_rows_tile<W, 1, M, kSigned>(t, x, n);
}

template <class W, bool kSigned = false>
void linear_few(const LinearTask& t, const SummedRows& x, std::int64_t n_begin,
                std::int64_t n_end) {
  switch (t.m) {
    case 1: return few_rows_of<W, 4, 1, kSigned>(t, x, n_begin, n_end);
    case 2: return few_rows_of<W, 2, 2, kSigned>(t, x, n_begin, n_end);
    case 3: return few_rows_of<W, 1, 3, kSigned>(t, x, n_begin, n_end);
    default: return few_rows_of<W, 1, 4, kSigned>(t, x, n_begin, n_end);
  }
}

}  // namespace
}  // namespace tessera::cpu::isa

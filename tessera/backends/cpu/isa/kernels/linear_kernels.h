// y = alpha * x W^T + bias for every weight storage, exact: each weight is widened to the float
// that dequantize_row gives, and each output is one chain of multiply-adds per vector lane in the
// order of k, summed by sum_lanes. The order depends on nothing else, so one token gives the same
// bits as a prompt, and a packed matrix the same bits as its expansion.
//
// Up to four rows of x, weights are widened in registers and used at once. From five on, six rows
// of W are widened into a panel that stays in L1, and 4 x 3 tiles run over it:
//
//   loads per 12 multiply-adds: 7, against 8 of the usual broadcast tile, and nothing is packed.
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/backends/cpu/isa/kernels/weights.h"

namespace tessera::cpu::isa {
namespace {

TESSERA_INLINE void write_output(const LinearTask& t, std::int64_t m, std::int64_t n, float dot) {
  t.y[m * t.y_stride + n] = t.bias ? scalar_fma(t.alpha, dot, t.bias[n]) : t.alpha * dot;
}

constexpr int kLockstep = 2;  // rows whose chains run side by side

/// Rows n..n+R of W against rows m..m+M of x.
template <class W, int R, int M>
void register_tile(const LinearTask& t, std::int64_t n, std::int64_t m) {
  const std::uint8_t* w[R];
  const float* x[M];
  F acc[R][M] = {};
  TESSERA_UNROLL for (int r = 0; r < R; ++r) {
    w[r] = static_cast<const std::uint8_t*>(t.w) + (n + r) * t.w_stride;
  }
  TESSERA_UNROLL for (int i = 0; i < M; ++i) x[i] = t.x + (m + i) * t.x_stride;

  std::int64_t k = 0;
  // Rows of a decoder are shorter than what a hardware prefetcher needs to find its stride, so each
  // row asks for the one two tiles on. Past the end of the matrix that is a hint without effect.
  const std::int64_t ahead = 2 * R * t.w_stride;
  for (; k + W::kBlock <= t.k; k += W::kBlock) {
    TESSERA_UNROLL for (int r = 0; r < R; ++r) {
      for (int line = 0; line < W::kBytes; line += 64) __builtin_prefetch(w[r] + ahead + line);
    }
    // Scales of a whole super-block are decoded ahead; of a single group, just before it.
    constexpr bool kAhead = W::kBlock != W::kGroup;
    typename W::Scales scales[kAhead ? R : 1];
    if constexpr (kAhead) {
      TESSERA_UNROLL for (int r = 0; r < R; ++r) W::scales(w[r], scales[r]);
    }
    for (int j = 0; j < W::kBlock / W::kGroup; ++j) {
      const std::int64_t at = k + j * W::kGroup;
      // Rows advance together, a vector at a time: their chains hide each other's latency.
      constexpr int kTogether = R % kLockstep == 0 ? kLockstep : 1;
      TESSERA_UNROLL for (int first = 0; first < R; first += kTogether) {
        const auto open = [&](int r) __attribute__((always_inline)) {
          if constexpr (!kAhead) W::scales(w[r], scales[0]);
          return W::group(w[r], scales[kAhead ? r : 0], j);
        };
        const auto step = [&](const auto&... groups) __attribute__((always_inline)) {
          TESSERA_UNROLL for (int v = 0; v < W::kGroup / kLanes; ++v) {
            int r = first;
            (
                [&] {
                  const F weight = W::weights(groups, v);
                  TESSERA_UNROLL for (int i = 0; i < M; ++i) {
                    acc[r][i] = fma(weight, load(x[i] + at + v * kLanes), acc[r][i]);
                  }
                  ++r;
                }(),
                ...);
          }
        };
        if constexpr (kTogether == 4)
          step(open(first), open(first + 1), open(first + 2), open(first + 3));
        else if constexpr (kTogether == 2)
          step(open(first), open(first + 1));
        else
          step(open(first));
      }
    }
    TESSERA_UNROLL for (int r = 0; r < R; ++r) w[r] += W::kBytes;
  }
  if constexpr (W::kBlock == kLanes) {
    if (const int tail = static_cast<int>(t.k - k); tail != 0) {
      TESSERA_UNROLL for (int r = 0; r < R; ++r) {
        const F weight = W::tail(w[r], tail);
        TESSERA_UNROLL for (int i = 0; i < M; ++i) {
          acc[r][i] = fma(weight, load_partial(x[i] + k, tail), acc[r][i]);
        }
      }
    }
  }
  TESSERA_UNROLL for (int i = 0; i < M; ++i) {
    if constexpr (R == 4) {
      float dots[4];
      sum_lanes_of_4(acc[0][i], acc[1][i], acc[2][i], acc[3][i], dots);
      for (int r = 0; r < 4; ++r) write_output(t, m + i, n + r, dots[r]);
    } else {
      TESSERA_UNROLL for (int r = 0; r < R; ++r) {
        write_output(t, m + i, n + r, sum_lanes(acc[r][i]));
      }
    }
  }
}

template <class W, int R, int M>
void register_rows(const LinearTask& t, std::int64_t n, std::int64_t end) {
  for (; n + R <= end; n += R) register_tile<W, R, M>(t, n, 0);
  for (; n < end; ++n) register_tile<W, 1, M>(t, n, 0);
}

/// Weights k0..k1 of a row as floats; k0 starts a block. Zeros fill up the last vector.
template <class W>
TESSERA_INLINE void widen_span(const std::uint8_t* row, std::int64_t k0, std::int64_t k1,
                               float* out) {
  row += k0 / W::kBlock * W::kBytes;
  std::int64_t k = k0;
  for (; k + W::kBlock <= k1; k += W::kBlock, row += W::kBytes, out += W::kBlock) {
    typename W::Scales scales;
    W::scales(row, scales);
    for (int j = 0; j < W::kBlock / W::kGroup; ++j) {
      const auto group = W::group(row, scales, j);
      TESSERA_UNROLL for (int v = 0; v < W::kGroup / kLanes; ++v) {
        store(out + j * W::kGroup + v * kLanes, W::weights(group, v));
      }
    }
  }
  if constexpr (W::kBlock == kLanes) {
    if (k < k1) store(out, W::tail(row, static_cast<int>(k1 - k)));
  }
}

constexpr int kTileM = 4, kTileN = 3;
constexpr int kPanelN = 2 * kTileN;
constexpr int kPanelK = 640;  // a panel of 15 KiB and a strip of x of 10 KiB share L1
constexpr int kPanelM = 128;  // widening costs 1/128 per use; the partial sums take 24 KiB

/// MR rows of x against NR rows of a panel; acc goes in and out.
template <int MR, int NR>
void panel_tile(const float* x, std::int64_t x_stride, const float* panel, std::int64_t k_size,
                F* partial) {
  const float* rows[MR];
  F acc[MR][NR];
  TESSERA_UNROLL for (int i = 0; i < MR; ++i) {
    rows[i] = x + i * x_stride;
    TESSERA_UNROLL for (int j = 0; j < NR; ++j) acc[i][j] = partial[i * kTileN + j];
  }
  std::int64_t k = 0;
  for (; k + kLanes <= k_size; k += kLanes) {
    F xs[MR];
    TESSERA_UNROLL for (int i = 0; i < MR; ++i) xs[i] = load(rows[i] + k);
    TESSERA_UNROLL for (int j = 0; j < NR; ++j) {
      const F weight = load(panel + j * kPanelK + k);
      TESSERA_UNROLL for (int i = 0; i < MR; ++i) acc[i][j] = fma(weight, xs[i], acc[i][j]);
    }
  }
  if (const int tail = static_cast<int>(k_size - k); tail != 0) {
    TESSERA_UNROLL for (int i = 0; i < MR; ++i) {
      const F value = load_partial(rows[i] + k, tail);
      TESSERA_UNROLL for (int j = 0; j < NR; ++j) {
        acc[i][j] = fma(load(panel + j * kPanelK + k), value, acc[i][j]);
      }
    }
  }
  TESSERA_UNROLL for (int i = 0; i < MR; ++i) {
    TESSERA_UNROLL for (int j = 0; j < NR; ++j) partial[i * kTileN + j] = acc[i][j];
  }
}

using PanelTile = void (*)(const float*, std::int64_t, const float*, std::int64_t, F*);
constexpr PanelTile kPanelTiles[kTileM][kTileN] = {
    {panel_tile<1, 1>, panel_tile<1, 2>, panel_tile<1, 3>},
    {panel_tile<2, 1>, panel_tile<2, 2>, panel_tile<2, 3>},
    {panel_tile<3, 1>, panel_tile<3, 2>, panel_tile<3, 3>},
    {panel_tile<4, 1>, panel_tile<4, 2>, panel_tile<4, 3>},
};

TESSERA_INLINE void write_tile(const LinearTask& t, std::int64_t m, std::int64_t n, int rows,
                               int columns, const F* sums) {
  for (int j = 0; j < columns; ++j) {
    const F* s = sums + j;
    float dots[kTileM];
    if (rows == kTileM) {
      sum_lanes_of_4(s[0], s[kTileN], s[2 * kTileN], s[3 * kTileN], dots);
    } else {
      for (int i = 0; i < rows; ++i) dots[i] = sum_lanes(s[i * kTileN]);
    }
    for (int i = 0; i < rows; ++i) write_output(t, m + i, n + j, dots[i]);
  }
}

/// widen(n, k0, k1, out): row n's weights k0..k1 as floats, zeros up to a whole vector; k0 is a
/// multiple of kStep, itself a multiple of 32.
template <std::int64_t kStep, class Widen>
TESSERA_INLINE void panel_product(const LinearTask& t, std::int64_t n_begin, std::int64_t n_end,
                                  const Widen& widen) {
  alignas(64) float panel[kPanelN * kPanelK];
  F partial[kPanelM / kTileM][kPanelN / kTileN][kTileM * kTileN];

  // Equal pieces of k.
  constexpr std::int64_t kMost = kPanelK / kStep * kStep;
  const std::int64_t pieces = (t.k + kMost - 1) / kMost;
  const std::int64_t piece = ((t.k + pieces - 1) / pieces + kStep - 1) / kStep * kStep;

  for (std::int64_t m0 = 0; m0 < t.m; m0 += kPanelM) {
    const std::int64_t m1 = m0 + kPanelM < t.m ? m0 + kPanelM : t.m;
    for (std::int64_t n = n_begin; n < n_end; n += kPanelN) {
      const int columns = static_cast<int>(n_end - n < kPanelN ? n_end - n : kPanelN);
      for (std::int64_t i = 0; i < (m1 - m0 + kTileM - 1) / kTileM; ++i) {
        std::memset(static_cast<void*>(partial[i]), 0, sizeof(partial[i]));
      }
      for (std::int64_t k0 = 0; k0 < t.k; k0 += piece) {
        const std::int64_t k1 = k0 + piece < t.k ? k0 + piece : t.k;
        for (int j = 0; j < columns; ++j) widen(n + j, k0, k1, panel + j * kPanelK);
        for (std::int64_t m = m0; m < m1; m += kTileM) {
          const int rows = static_cast<int>(m1 - m < kTileM ? m1 - m : kTileM);
          for (int j = 0; j < columns; j += kTileN) {
            const int width = columns - j < kTileN ? columns - j : kTileN;
            F* sums = partial[(m - m0) / kTileM][j / kTileN];
            kPanelTiles[rows - 1][width - 1](t.x + m * t.x_stride + k0, t.x_stride,
                                             panel + j * kPanelK, k1 - k0, sums);
            if (k1 == t.k) write_tile(t, m, n + j, rows, width, sums);
          }
        }
      }
    }
  }
}

template <class W>
void panel_rows(const LinearTask& t, std::int64_t n_begin, std::int64_t n_end) {
  constexpr std::int64_t kStep = W::kBlock > 32 ? W::kBlock : 32;
  panel_product<kStep>(
      t, n_begin, n_end,
      [&t](std::int64_t n, std::int64_t k0, std::int64_t k1, float* out)
          __attribute__((always_inline)) {
            widen_span<W>(static_cast<const std::uint8_t*>(t.w) + n * t.w_stride, k0, k1, out);
          });
}

template <class W>
void linear(const LinearTask& t, std::int64_t n_begin, std::int64_t n_end) {
  switch (t.m) {
    case 1: return register_rows<W, 4, 1>(t, n_begin, n_end);
    case 2: return register_rows<W, 4, 2>(t, n_begin, n_end);
    case 3: return register_rows<W, 2, 3>(t, n_begin, n_end);
    case 4: return register_rows<W, 2, 4>(t, n_begin, n_end);
    default: return panel_rows<W>(t, n_begin, n_end);
  }
}

template <class W>
void dequantize(const void* blocks, float* out, std::int64_t k) {
  widen_span<W>(static_cast<const std::uint8_t*>(blocks), 0, k, out);
}

}  // namespace
}  // namespace tessera::cpu::isa

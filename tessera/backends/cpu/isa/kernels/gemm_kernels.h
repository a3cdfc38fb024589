// The general product over packed panels: a tile of 6 rows by 2 vectors in 12 accumulators, and the
// small product that reads B where it lies. In both, each output is one chain of multiply-adds in
// the order of k, so the path taken does not change a bit.
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/backends/cpu/isa/kernels/simd.h"

namespace tessera::cpu::isa {
namespace {

constexpr int kGemmRows = 6, kGemmColumns = 2 * kLanes;

/// One element of an array of FloatType kType.
template <FloatType kType>
TESSERA_INLINE float element(const void* data, std::int64_t i) {
  if constexpr (kType == FloatType::f32) {
    return static_cast<const float*>(data)[i];
  } else if constexpr (kType == FloatType::f16) {
    return half_at(static_cast<const std::uint8_t*>(data) + 2 * i);
  } else {
    const std::uint32_t bits = std::uint32_t{static_cast<const std::uint16_t*>(data)[i]} << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
}

template <FloatType kType>
TESSERA_INLINE F load_as(const void* data, std::int64_t i) {
  if constexpr (kType == FloatType::f32)
    return load(static_cast<const float*>(data) + i);
  else if constexpr (kType == FloatType::f16) {
    return load_f16(static_cast<const std::uint16_t*>(data) + i);
  } else {
    return load_bf16(static_cast<const std::uint16_t*>(data) + i);
  }
}

template <FloatType kType>
TESSERA_INLINE F load_partial_as(const void* data, std::int64_t i, int n) {
  if constexpr (kType == FloatType::f32) {
    return load_partial(static_cast<const float*>(data) + i, n);
  } else {
    std::uint16_t halves[kLanes] = {};
    std::memcpy(halves, static_cast<const std::uint16_t*>(data) + i,
                2 * static_cast<std::size_t>(n));
    return load_as<kType>(halves, 0);
  }
}

/// c[6, 2 vectors] += a b, or = when !accumulate.
void gemm_tile(std::int64_t k_size, const float* a, const float* b, float* c, std::int64_t c_stride,
               bool accumulate) {
  F acc[kGemmRows][2] = {};
  if (accumulate) {
    TESSERA_UNROLL for (int i = 0; i < kGemmRows; ++i) {
      acc[i][0] = load(c + i * c_stride);
      acc[i][1] = load(c + i * c_stride + kLanes);
    }
  }
  for (std::int64_t k = 0; k < k_size; ++k, a += kGemmRows, b += kGemmColumns) {
    const F b0 = load(b), b1 = load(b + kLanes);
    TESSERA_UNROLL for (int i = 0; i < kGemmRows; ++i) {
      const F value = splat(a[i]);
      acc[i][0] = fma(value, b0, acc[i][0]);
      acc[i][1] = fma(value, b1, acc[i][1]);
    }
  }
  TESSERA_UNROLL for (int i = 0; i < kGemmRows; ++i) {
    store(c + i * c_stride, acc[i][0]);
    store(c + i * c_stride + kLanes, acc[i][1]);
  }
}

void gemm_block(const GemmBlock& g) {
  for (std::int64_t n = 0; n < g.n; n += kGemmColumns) {
    const float* b = g.b + n * g.k;
    const std::int64_t columns = g.n - n < kGemmColumns ? g.n - n : kGemmColumns;
    for (std::int64_t m = 0; m < g.m; m += kGemmRows) {
      const float* a = g.a + m * g.k;
      const std::int64_t rows = g.m - m < kGemmRows ? g.m - m : kGemmRows;
      float* c = g.c + m * g.c_stride + n;
      if (rows == kGemmRows && columns == kGemmColumns) {
        gemm_tile(g.k, a, b, c, g.c_stride, g.accumulate);
        continue;
      }
      float edge[kGemmRows * kGemmColumns] = {};
      const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(columns);
      if (g.accumulate) {
        for (std::int64_t i = 0; i < rows; ++i) {
          std::memcpy(edge + i * kGemmColumns, c + i * g.c_stride, bytes);
        }
      }
      gemm_tile(g.k, a, b, edge, kGemmColumns, g.accumulate);
      for (std::int64_t i = 0; i < rows; ++i) {
        std::memcpy(c + i * g.c_stride, edge + i * kGemmColumns, bytes);
      }
    }
  }
}

template <FloatType kType>
void pack_a_as(const StridedMatrix& a, std::int64_t m_size, std::int64_t k_size, float* out) {
  for (std::int64_t m = 0; m < m_size; m += kGemmRows, out += kGemmRows * k_size) {
    const int rows = static_cast<int>(m_size - m < kGemmRows ? m_size - m : kGemmRows);
    if (rows < kGemmRows) {
      std::memset(out, 0, sizeof(float) * static_cast<std::size_t>(kGemmRows * k_size));
    }
    if (a.column_stride == 1) {
      for (int i = 0; i < rows; ++i) {
        const std::int64_t row = (m + i) * a.row_stride;
        for (std::int64_t k = 0; k < k_size; ++k) {
          out[k * kGemmRows + i] = element<kType>(a.data, row + k);
        }
      }
    } else {
      for (std::int64_t k = 0; k < k_size; ++k) {
        const std::int64_t column = m * a.row_stride + k * a.column_stride;
        for (int i = 0; i < rows; ++i) {
          out[k * kGemmRows + i] = element<kType>(a.data, column + i * a.row_stride);
        }
      }
    }
  }
}

template <FloatType kType>
void pack_b_as(const StridedMatrix& b, std::int64_t k_size, std::int64_t n_size, float* out) {
  for (std::int64_t n = 0; n < n_size; n += kGemmColumns, out += kGemmColumns * k_size) {
    const int columns = static_cast<int>(n_size - n < kGemmColumns ? n_size - n : kGemmColumns);
    if (b.column_stride == 1 && columns == kGemmColumns) {
      for (std::int64_t k = 0; k < k_size; ++k) {
        const std::int64_t row = k * b.row_stride + n;
        store(out + k * kGemmColumns, load_as<kType>(b.data, row));
        store(out + k * kGemmColumns + kLanes, load_as<kType>(b.data, row + kLanes));
      }
      continue;
    }
    if (columns < kGemmColumns) {
      std::memset(out, 0, sizeof(float) * static_cast<std::size_t>(kGemmColumns * k_size));
    }
    for (std::int64_t k = 0; k < k_size; ++k) {
      const std::int64_t row = k * b.row_stride + n * b.column_stride;
      for (int j = 0; j < columns; ++j) {
        out[k * kGemmColumns + j] = element<kType>(b.data, row + j * b.column_stride);
      }
    }
  }
}

void pack_a(const StridedMatrix& a, std::int64_t m, std::int64_t k, float* out) {
  switch (a.type) {
    case FloatType::f32: return pack_a_as<FloatType::f32>(a, m, k, out);
    case FloatType::f16: return pack_a_as<FloatType::f16>(a, m, k, out);
    case FloatType::bf16: return pack_a_as<FloatType::bf16>(a, m, k, out);
  }
}

void pack_b(const StridedMatrix& b, std::int64_t k, std::int64_t n, float* out) {
  switch (b.type) {
    case FloatType::f32: return pack_b_as<FloatType::f32>(b, k, n, out);
    case FloatType::f16: return pack_b_as<FloatType::f16>(b, k, n, out);
    case FloatType::bf16: return pack_b_as<FloatType::bf16>(b, k, n, out);
  }
}

/// out[G, C vectors] (+)= p[G, s] v[s, C vectors]; the last vector holds `last` columns.
template <FloatType kType, int G, int C, bool kPartial>
TESSERA_INLINE void weighted_tile(std::int64_t s_size, const float* p, std::int64_t p_stride,
                                  const void* v, std::int64_t v_stride, std::int64_t n, int last,
                                  float* out, std::int64_t out_stride, bool accumulate) {
  F acc[G][C] = {};
  if (accumulate) {
    TESSERA_UNROLL for (int g = 0; g < G; ++g) {
      TESSERA_UNROLL for (int c = 0; c < C; ++c) {
        const float* at = out + g * out_stride + n + c * kLanes;
        acc[g][c] = kPartial ? load_partial(at, last) : load(at);
      }
    }
  }
  for (std::int64_t s = 0; s < s_size; ++s) {
    const std::int64_t row = s * v_stride + n;
    F values[C];
    TESSERA_UNROLL for (int c = 0; c < C; ++c) {
      values[c] =
          kPartial ? load_partial_as<kType>(v, row, last) : load_as<kType>(v, row + c * kLanes);
    }
    TESSERA_UNROLL for (int g = 0; g < G; ++g) {
      const F weight = splat(p[g * p_stride + s]);
      TESSERA_UNROLL for (int c = 0; c < C; ++c) acc[g][c] = fma(weight, values[c], acc[g][c]);
    }
  }
  TESSERA_UNROLL for (int g = 0; g < G; ++g) {
    TESSERA_UNROLL for (int c = 0; c < C; ++c) {
      float* at = out + g * out_stride + n + c * kLanes;
      if (kPartial)
        store_partial(at, acc[g][c], last);
      else
        store(at, acc[g][c]);
    }
  }
}

template <FloatType kType, int G, int C>
void weighted_strip(std::int64_t s, std::int64_t n_size, const float* p, std::int64_t p_stride,
                    const void* v, std::int64_t v_stride, float* out, std::int64_t out_stride,
                    bool accumulate) {
  std::int64_t n = 0;
  for (; n + C * kLanes <= n_size; n += C * kLanes) {
    weighted_tile<kType, G, C, false>(s, p, p_stride, v, v_stride, n, 0, out, out_stride,
                                      accumulate);
  }
  for (; n + kLanes <= n_size; n += kLanes) {
    weighted_tile<kType, G, 1, false>(s, p, p_stride, v, v_stride, n, 0, out, out_stride,
                                      accumulate);
  }
  if (n < n_size) {
    weighted_tile<kType, G, 1, true>(s, p, p_stride, v, v_stride, n, static_cast<int>(n_size - n),
                                     out, out_stride, accumulate);
  }
}

template <int N>
struct Rows {
  static constexpr int value = N;
};

template <FloatType kType>
void weighted_rows(std::int64_t g_size, std::int64_t s, std::int64_t n, const float* p,
                   std::int64_t p_stride, const void* v, std::int64_t v_stride, float* out,
                   std::int64_t out_stride, bool accumulate) {
  std::int64_t g = 0;
  const auto strip = [&](auto rows) {
    constexpr int kRows = decltype(rows)::value;
    constexpr int kVectors = kRows == 1 ? 8 : kRows == 2 ? 4 : kRows == 3 ? 3 : 2;
    weighted_strip<kType, kRows, kVectors>(s, n, p + g * p_stride, p_stride, v, v_stride,
                                           out + g * out_stride, out_stride, accumulate);
    g += kRows;
  };
  while (g_size - g >= 4) strip(Rows<4>{});
  switch (g_size - g) {
    case 1: return strip(Rows<1>{});
    case 2: return strip(Rows<2>{});
    case 3: return strip(Rows<3>{});
  }
}

template <FloatType kType>
void widen(const void* from, float* to, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load_as<kType>(from, i));
  for (; i < n; ++i) to[i] = element<kType>(from, i);
}

void narrow_f32(const float* from, void* to, std::int64_t n) {
  std::memcpy(to, from, sizeof(float) * static_cast<std::size_t>(n));
}

void narrow_bf16(const float* from, void* to, std::int64_t n) {
  auto* out = static_cast<std::uint16_t*>(to);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, from + i, 4);
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    const std::uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
    out[i] = static_cast<std::uint16_t>((nan ? bits | 0x400000 : rounded) >> 16);
  }
}

std::uint16_t half_bits(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const std::uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  std::uint32_t half;
  if (magnitude > 0x7f800000) {
    half = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  } else if (magnitude >= 0x47800000) {
    half = 0x7c00;
  } else if (magnitude < 0x38800000) {
    // Adding 0.5 aligns the bits so that the addition rounds a subnormal half to nearest even.
    float aligned;
    std::memcpy(&aligned, &magnitude, 4);
    aligned += 0.5f;
    std::memcpy(&half, &aligned, 4);
    half -= 0x3f000000;
  } else {
    half = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

void narrow_f16(const float* from, void* to, std::int64_t n) {
  auto* out = static_cast<std::uint16_t*>(to);
  std::int64_t i = 0;
#if defined(__AVX2__)
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(load(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < n; ++i) out[i] = half_bits(from[i]);
}

}  // namespace
}  // namespace tessera::cpu::isa

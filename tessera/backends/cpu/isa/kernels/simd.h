// The vector words that the kernels are written in: eight floats with AVX2, four without.
//
// For the per-instruction-set files only (see kernels.h): everything is in an anonymous
// namespace. Arithmetic uses the compilers' vector types, so + - * / < & | << work on F and I.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define TESSERA_INLINE inline __attribute__((always_inline))
/// Before a loop of a few constant steps over vectors that should stay in registers.
#if defined(__clang__)
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL _Pragma("GCC unroll 16")
#endif

namespace tessera::cpu::isa {
namespace {

#if defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float F __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t I __attribute__((vector_size(4 * kLanes)));
typedef float UnalignedF __attribute__((vector_size(4 * kLanes), aligned(1), may_alias));
/// 32 bytes: a group of quants.
typedef std::uint8_t B __attribute__((vector_size(32)));
typedef std::uint8_t UnalignedB __attribute__((vector_size(32), aligned(1), may_alias));
typedef std::uint8_t HalfB __attribute__((vector_size(16)));

TESSERA_INLINE F splat(float v) {
#if defined(__AVX2__)
  return _mm256_set1_ps(v);
#else
  return F{v, v, v, v};
#endif
}
TESSERA_INLINE I splat_int(std::int32_t v) {
  return I{} + v;
}
TESSERA_INLINE F load(const float* p) {
  return *reinterpret_cast<const UnalignedF*>(p);
}
TESSERA_INLINE void store(float* p, F v) {
  *reinterpret_cast<UnalignedF*>(p) = v;
}
TESSERA_INLINE B load_bytes(const void* p) {
  return *reinterpret_cast<const UnalignedB*>(p);
}
TESSERA_INLINE F as_float(I v) {
  return reinterpret_cast<F>(v);
}
TESSERA_INLINE I as_int(F v) {
  return reinterpret_cast<I>(v);
}
TESSERA_INLINE F to_float(I v) {
  return __builtin_convertvector(v, F);
}
/// Lanes of a where the mask is -1, of b where it is 0.
TESSERA_INLINE F select(I mask, F a, F b) {
  return as_float((as_int(a) & mask) | (as_int(b) & ~mask));
}
TESSERA_INLINE F absolute(F v) {
  return as_float(as_int(v) & 0x7fffffff);
}

/// a * b + c: fused where the processor can, with two roundings where it cannot.
TESSERA_INLINE F fma(F a, F b, F c) {
#if defined(__AVX2__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return reinterpret_cast<F>(vfmaq_f32(reinterpret_cast<float32x4_t>(c),
                                       reinterpret_cast<float32x4_t>(a),
                                       reinterpret_cast<float32x4_t>(b)));
#else
  return a * b + c;
#endif
}

TESSERA_INLINE float scalar_fma(float a, float b, float c) {
#if defined(__AVX2__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// The first n < kLanes floats, the rest zero; reads nothing behind them.
TESSERA_INLINE F load_partial(const float* p, int n) {
  F v{};
#if defined(__AVX2__)
  const I lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  v = _mm256_maskload_ps(p, reinterpret_cast<__m256i>(lanes < n));
#else
  for (int i = 0; i < n; ++i) v[i] = p[i];
#endif
  return v;
}

TESSERA_INLINE void store_partial(float* p, F v, int n) {
#if defined(__AVX2__)
  const I lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  _mm256_maskstore_ps(p, reinterpret_cast<__m256i>(lanes < n), v);
#else
  for (int i = 0; i < n; ++i) p[i] = v[i];
#endif
}

/// The lanes' sum, as a tree of neighbours: ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
TESSERA_INLINE float sum_lanes(F v) {
#if defined(__AVX2__)
  const __m256 pairs = _mm256_hadd_ps(v, v);
  const __m256 fours = _mm256_hadd_ps(pairs, pairs);
  return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
#else
  return (v[0] + v[1]) + (v[2] + v[3]);
#endif
}

/// sum_lanes of four vectors.
TESSERA_INLINE void sum_lanes_of_4(F a, F b, F c, F d, float* out) {
#if defined(__AVX2__)
  const __m256 fours = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
  _mm_storeu_ps(out, _mm_add_ps(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
#else
  out[0] = sum_lanes(a);
  out[1] = sum_lanes(b);
  out[2] = sum_lanes(c);
  out[3] = sum_lanes(d);
#endif
}

TESSERA_INLINE float max_lanes(F v) {
  float m = v[0];
  for (int i = 1; i < kLanes; ++i) m = v[i] > m ? v[i] : m;
  return m;
}

/// kLanes bytes, each widened to an int.
TESSERA_INLINE I widen_bytes(const std::uint8_t* p) {
#if defined(__AVX2__)
  return reinterpret_cast<I>(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#elif defined(__SSE2__)
  std::int32_t four;
  std::memcpy(&four, p, 4);
  const __m128i zero = _mm_setzero_si128();
  const __m128i words = _mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero);
  return reinterpret_cast<I>(_mm_unpacklo_epi16(words, zero));
#else
  return I{p[0], p[1], p[2], p[3]};
#endif
}

TESSERA_INLINE I widen_signed_bytes(const std::int8_t* p) {
#if defined(__AVX2__)
  return reinterpret_cast<I>(
      _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#elif defined(__SSE2__)
  std::int32_t four;
  std::memcpy(&four, p, 4);
  const __m128i bytes = _mm_cvtsi32_si128(four);
  const __m128i words = _mm_unpacklo_epi8(bytes, bytes);
  return reinterpret_cast<I>(_mm_unpacklo_epi16(words, words)) >> 24;
#else
  return I{p[0], p[1], p[2], p[3]};
#endif
}

/// kLanes 16-bit values, each widened to an int.
TESSERA_INLINE I widen_words(const std::uint16_t* p) {
#if defined(__AVX2__)
  return reinterpret_cast<I>(
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif defined(__SSE2__)
  return reinterpret_cast<I>(_mm_unpacklo_epi16(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), _mm_setzero_si128()));
#else
  return I{p[0], p[1], p[2], p[3]};
#endif
}

TESSERA_INLINE F load_bf16(const std::uint16_t* p) {
  return as_float(widen_words(p) << 16);
}

TESSERA_INLINE F load_f16(const std::uint16_t* p) {
#if defined(__AVX2__)
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
#else
  const I h = widen_words(p);
  const I magnitude = (h & 0x7fff) << 13;
  // Multiplying by 2^112 moves the exponent's bias and makes subnormals normal in one step.
  const I finite = as_int(as_float(magnitude) * splat(0x1p112f));
  const I special = magnitude >= 0x0f800000;
  return as_float(((h & 0x8000) << 16) | finite | (special & 0x7f800000));
#endif
}

/// One float16, from bytes at any address.
TESSERA_INLINE float half_at(const std::uint8_t* p) {
  std::uint16_t bits;
  std::memcpy(&bits, p, 2);
#if defined(__AVX2__)
  return _cvtsh_ss(bits);
#else
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  float value;
  std::memcpy(&value, &magnitude, 4);
  value *= 0x1p112f;
  std::uint32_t out;
  std::memcpy(&out, &value, 4);
  if (magnitude >= 0x0f800000) out |= 0x7f800000;
  out |= static_cast<std::uint32_t>(bits & 0x8000) << 16;
  std::memcpy(&value, &out, 4);
  return value;
#endif
}

/// half_at(p) in every lane; 8 bytes must be readable at p.
TESSERA_INLINE F splat_half(const std::uint8_t* p) {
#if defined(__AVX2__)
  return _mm256_broadcastss_ps(_mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
#else
  return splat(half_at(p));
#endif
}

/// half_at(p) in every lane of one, half_at(p + 2) in every lane of two.
TESSERA_INLINE void splat_two_halves(const std::uint8_t* p, F& one, F& two) {
#if defined(__AVX2__)
  float bits;
  std::memcpy(&bits, p, 4);
  const __m256 alternating = _mm256_cvtph_ps(_mm_castps_si128(_mm_set1_ps(bits)));
  one = _mm256_moveldup_ps(alternating);
  two = _mm256_movehdup_ps(alternating);
#else
  one = splat(half_at(p));
  two = splat(half_at(p + 2));
#endif
}

}  // namespace
}  // namespace tessera::cpu::isa

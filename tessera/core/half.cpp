#include "tessera/core/half.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tessera/core/internal/cpu_features.h"

namespace tessera {

namespace {

#if defined(__x86_64__)
bool has_f16c() {
  static const bool yes = cpu_has_f16c();
  return yes;
}

__attribute__((target("avx,f16c"))) std::size_t widen_f16c(const float16_t* from, float* to,
                                                           std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  return i;
}

__attribute__((target("avx,f16c"))) std::size_t narrow_f16c(const float* from, float16_t* to,
                                                            std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), half);
  }
  return i;
}
#endif

}  // namespace

void to_float(const float16_t* from, float* to, std::size_t count) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = widen_f16c(from, to, count);
#endif
  for (; i < count; ++i) to[i] = from[i];
}

void to_float(const bfloat16_t* from, float* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

void from_float(const float* from, float16_t* to, std::size_t count) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = narrow_f16c(from, to, count);
#endif
  for (; i < count; ++i) to[i] = from[i];
}

void from_float(const float* from, bfloat16_t* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

}  // namespace tessera

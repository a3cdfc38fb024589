// The scale and minimum of a group of 32 weights, from any storage's Scales.
#pragma once

#include "tessera/backends/cpu/isa/kernels/weights_k.h"

namespace tessera::cpu::isa {
namespace {

/// d[0] in the lanes of the first 16 weights, d[1] in the others.
TESSERA_INLINE F two_scales(const float* d) {
#if defined(__AVX2__)
  return _mm256_set_m128(_mm_broadcast_ss(d + 1), _mm_broadcast_ss(d));
#else
  return F{d[0], d[0], d[1], d[1]};
#endif
}

TESSERA_INLINE F group_scale(const OneScale& s, int) {
  return s.d;
}
TESSERA_INLINE F group_scale(const EightScales& s, int j) {
  return splat(s.d[j]);
}
TESSERA_INLINE float group_minimum(const OneScale& s, int) {
  return s.m[0];
}
TESSERA_INLINE float group_minimum(const EightScales& s, int j) {
  return s.m[j];
}

}  // namespace
}  // namespace tessera::cpu::isa

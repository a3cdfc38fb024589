// Functions over arrays of floats, within 2 ulp of the true value; NaN and infinity as in libm.
//
//   vec_exp(x, y, n);     // y may be x
#pragma once

#include <cstdint>

#include "tessera/backends/cpu/isa/isa.h"

namespace tessera::cpu::isa {

inline void vec_exp(const float* x, float* y, std::int64_t n) {
  kernels().exp(x, y, n);
}
inline void vec_tanh(const float* x, float* y, std::int64_t n) {
  kernels().tanh(x, y, n);
}
inline void vec_erf(const float* x, float* y, std::int64_t n) {
  kernels().erf(x, y, n);
}
/// 1 / (1 + exp(-x)).
inline void vec_sigmoid(const float* x, float* y, std::int64_t n) {
  kernels().sigmoid(x, y, n);
}
/// x * sigmoid(x); NaN at -infinity, as that product is.
inline void vec_silu(const float* x, float* y, std::int64_t n) {
  kernels().silu(x, y, n);
}
/// x / 2 * (1 + erf(x / sqrt 2)), each step in float32.
inline void vec_gelu(const float* x, float* y, std::int64_t n) {
  kernels().gelu(x, y, n);
}
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), each step in float32.
inline void vec_gelu_tanh(const float* x, float* y, std::int64_t n) {
  kernels().gelu_tanh(x, y, n);
}

/// -infinity for none; NaN if any is.
inline float vec_max(const float* x, std::int64_t n) {
  return kernels().max(x, n);
}
/// In float32, as 4 vectors of partial sums.
inline float vec_sum(const float* x, std::int64_t n) {
  return kernels().sum(x, n);
}
inline float vec_sum_squares(const float* x, std::int64_t n) {
  return kernels().sum_squares(x, n);
}

/// n floats of `type` to float32 and back, rounding to nearest even.
inline void vec_widen(FloatType type, const void* from, float* to, std::int64_t n) {
  kernels().widen[static_cast<int>(type)](from, to, n);
}
inline void vec_narrow(FloatType type, const float* from, void* to, std::int64_t n) {
  kernels().narrow[static_cast<int>(type)](from, to, n);
}

}  // namespace tessera::cpu::isa

// exp, tanh, erf and their kin over arrays, within 2 ulp of the true value; the coefficients come
// from tools/generators/fit_vector_math.py. NaN stays NaN, infinities go to the limits, exp
// underflows through the subnormals. y may be x.
#pragma once

#include "tessera/backends/cpu/isa/kernels/simd.h"

namespace tessera::cpu::isa {
namespace {

/// Horner's rule, highest power first.
template <int N>
TESSERA_INLINE F polynomial(F x, const float (&c)[N]) {
  F value = splat(c[0]);
  TESSERA_UNROLL for (int i = 1; i < N; ++i) value = fma(value, x, splat(c[i]));
  return value;
}

TESSERA_INLINE F exp_of(F x) {
  constexpr float kCoefficients[] = {1.395060215e-03f, 8.368953131e-03f, 4.166620597e-02f,
                                     1.666651815e-01f, 0.5f};
  // Past these bounds the result is infinite or zero; the comparisons let NaN through.
  x = select(x > splat(89), splat(89), x);
  x = select(x < splat(-105), splat(-105), x);
  // x = n ln 2 + r. Nine bits of ln 2 times n are exact, so r is too, with or without fused steps.
  const F magic = splat(0x1.8p23f);
  const F shifted = fma(x, splat(1.44269504f), magic);
  const F n = shifted - magic;
  const F r = fma(n, splat(2.12194440e-4f), fma(n, splat(-0.693359375f), x));
  const F p = fma(r * r, polynomial(r, kCoefficients), r) + splat(1);
  // Two factors, since 2^n itself may be past the range on either side.
  const I exponent = as_int(shifted) - as_int(magic);
  const I half = exponent >> 1;
  return p * as_float((half + 127) << 23) * as_float((exponent - half + 127) << 23);
}

TESSERA_INLINE F with_sign_of(F magnitude, F sign) {
  const I bit = splat_int(static_cast<std::int32_t>(0x80000000));
  return as_float((as_int(magnitude) & ~bit) | (as_int(sign) & bit));
}

TESSERA_INLINE F tanh_of(F x) {
  constexpr float kCoefficients[] = {2.147539752e-03f,  -8.182677440e-03f, 2.170296945e-02f,
                                     -5.394720286e-02f, 1.333321035e-01f,  -3.333333135e-01f};
  const F magnitude = absolute(x);
  const F s = x * x;
  const F near = fma(x * s, polynomial(s, kCoefficients), x);
  const F far = splat(1) - splat(2) / (exp_of(magnitude + magnitude) + splat(1));
  return select(magnitude < splat(0.625f), near, with_sign_of(far, x));
}

TESSERA_INLINE F erf_of(F x) {
  constexpr float kNear[] = {8.409923612e-05f,  -8.152628434e-04f, 5.201960448e-03f,
                             -2.685979940e-02f, 1.128370315e-01f,  -3.761263490e-01f,
                             1.283791661e-01f};
  constexpr float kFar[] = {-4.806520337e-06f, 4.400050602e-05f, 5.751034041e-05f,
                            -2.951664384e-03f, 2.270828746e-02f, -1.052944362e-01f,
                            -6.356092691e-01f, -1.128555179e+00f};
  const F magnitude = absolute(x);
  const F near = fma(x, polynomial(x * x, kNear), x);
  const F t = select(magnitude > splat(4), splat(4), magnitude);  // erf(4) rounds to 1
  const F far = splat(1) - exp_of(t * polynomial(t, kFar));
  return select(magnitude < splat(0.92f), near, with_sign_of(far, x));
}

TESSERA_INLINE F sigmoid_of(F x) {
  // exp of the negative magnitude cannot overflow, and keeps small results exact to the last bits.
  const F e = exp_of(-absolute(x));
  const I negative = x < splat(0);
  const F whole = splat(1) + e;
  const F quotient = select(negative, e, splat(1)) / whole;
  // What rounding took from 1 + e would cost a whole ulp: put it back to first order.
  const F lost = e - (whole - splat(1));
  const F inverse = select(negative, splat(1) - quotient, quotient);  // 1 / (1 + e)
  return fma(-quotient * lost, inverse, quotient);
}

TESSERA_INLINE F silu_of(F x) {
  return x * sigmoid_of(x);
}

TESSERA_INLINE F gelu_of(F x) {
  return splat(0.5f) * x * (splat(1) + erf_of(x * splat(0.707106781f)));
}

TESSERA_INLINE F gelu_tanh_of(F x) {
  const F inner = splat(0.797884561f) * fma(splat(0.044715f) * x * x, x, x);
  return splat(0.5f) * x * (splat(1) + tanh_of(inner));
}

template <class Fn>
TESSERA_INLINE void map(const float* x, float* y, std::int64_t n, Fn fn) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, fn(load(x + i)));
  if (const int tail = static_cast<int>(n - i); tail != 0) {
    store_partial(y + i, fn(load_partial(x + i, tail)), tail);
  }
}

#define TESSERA_MAP(name, function)                                               \
  void name(const float* x, float* y, std::int64_t n) {                           \
    map(                                                                          \
        x, y, n, [](F v) __attribute__((always_inline)) { return function(v); }); \
  }
TESSERA_MAP(exp_array, exp_of)
TESSERA_MAP(tanh_array, tanh_of)
TESSERA_MAP(erf_array, erf_of)
TESSERA_MAP(sigmoid_array, sigmoid_of)
TESSERA_MAP(silu_array, silu_of)
TESSERA_MAP(gelu_array, gelu_of)
TESSERA_MAP(gelu_tanh_array, gelu_tanh_of)
#undef TESSERA_MAP

/// a where it is larger or NaN.
TESSERA_INLINE F max_or_nan(F a, F b) {
  return select((a > b) | (a != a), a, b);
}

/// -infinity for n = 0; NaN if any element is.
float max_of(const float* x, std::int64_t n) {
  const F lowest = splat(-__builtin_inff());
  F top[2] = {lowest, lowest};
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    top[0] = max_or_nan(load(x + i), top[0]);
    top[1] = max_or_nan(load(x + i + kLanes), top[1]);
  }
  const F both = max_or_nan(top[0], top[1]);
  float result = both[0];
  for (int lane = 1; lane < kLanes; ++lane) {
    if (both[lane] > result || both[lane] != both[lane]) result = both[lane];
  }
  for (; i < n; ++i) {
    if (x[i] > result || x[i] != x[i]) result = x[i];
  }
  return result;
}

template <class Fn>
TESSERA_INLINE float sum_over(const float* x, std::int64_t n, Fn add) {
  F sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    TESSERA_UNROLL for (int j = 0; j < 4; ++j) sums[j] = add(load(x + i + j * kLanes), sums[j]);
  }
  for (; i + kLanes <= n; i += kLanes) sums[0] = add(load(x + i), sums[0]);
  if (const int tail = static_cast<int>(n - i); tail != 0) {
    sums[1] = add(load_partial(x + i, tail), sums[1]);
  }
  return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

float sum_of(const float* x, std::int64_t n) {
  return sum_over(
      x, n, [](F v, F s) __attribute__((always_inline)) { return s + v; });
}

float sum_of_squares(const float* x, std::int64_t n) {
  return sum_over(
      x, n, [](F v, F s) __attribute__((always_inline)) { return fma(v, v, s); });
}

float softmax_step(float* scores, std::int64_t n, float* max, float* sum) {
  const float infinity = __builtin_inff();
  const float previous = *max;
  const float top = max_of(scores, n);
  const float next = top > previous || top != top ? top : previous;
  *max = next;
  if (next == -infinity) {  // nothing but masked positions so far
    for (std::int64_t i = 0; i < n; ++i) scores[i] = 0;
    return 1;
  }
  const F shift = splat(next);
  F sums{};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F p = exp_of(load(scores + i) - shift);
    store(scores + i, p);
    sums += p;
  }
  if (const int tail = static_cast<int>(n - i); tail != 0) {
    store_partial(scores + i, exp_of(load_partial(scores + i, tail) - shift), tail);
    sums += load_partial(scores + i, tail);
  }
  const float factor = exp_of(splat(previous) - shift)[0];
  *sum = *sum * factor + sum_lanes(sums);
  return factor;
}

}  // namespace
}  // namespace tessera::cpu::isa

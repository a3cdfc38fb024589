// Matrix products over plain pointers: linear layers (float and packed weights) and the general
// product, spread over a thread pool.
//
//   linear(pool, {.m = 1, .n = 1536, .k = 576, .x = x, .y = y}, FloatType::f16, w);
//   linear_quantized(pool, {.m = 1, .n = 1536, .k = 576, .x = x, .y = y}, QuantType::q4_1, w);
//   matmul(pool, m, n, k, {a, FloatType::f32, k, 1}, {b, FloatType::f32, n, 1}, {c, FloatType::f32,
//   n});
//
// Shapes are the caller's to check; nothing here reads or writes past a row's last element,
// pointers need no alignment beyond their element's, and sizes may be zero (k = 0 gives the bias or
// 0). NaN and infinity propagate as in float arithmetic.
//
// Which bits come out: each output is summed in an order fixed by k alone. So results do not change
// with the number of threads, a row of x gives the same bits alone as among others (prefill equals
// decode), and linear_quantized in precise mode equals linear() on what dequantize_row expands the
// weights to. They do differ between instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/core/quant_type.h"
#include "tessera/core/thread_pool.h"

namespace tessera::cpu::isa {

/// Products that are worth a piece of work of their own: about 4 microseconds of decode.
inline constexpr std::int64_t kGrainProducts = 48 * 1024;

/// y[m, n] = alpha * sum over k of x[m, k] * w[n, k] + bias[n].
struct LinearArgs {
  std::int64_t m = 0, n = 0, k = 0;
  const float* x = nullptr;     ///< [m, k]
  std::int64_t x_stride = 0;    ///< floats from row to row; 0 means k
  const float* bias = nullptr;  ///< [n], or null for none
  float* y = nullptr;           ///< [m, n], must not overlap the inputs
  std::int64_t y_stride = 0;    ///< floats from row to row; 0 means n
  float alpha = 1;
};

/// w        [n, k] of `type`, rows `w_stride` elements apart (0 means k); widened in registers
/// accumulates in float32
void linear(ThreadPool& pool, const LinearArgs& args, FloatType type, const void* w,
            std::int64_t w_stride = 0);

/// w        [n, k] as GGUF blocks, rows row_bytes(type, k) apart; any address
/// errors   shape_mismatch when block_size(type) does not divide k
/// Precise sums agree with a float32 product over dequantised weights. Fast differs by the rounding
/// of x: about 1/254 of the largest activation of each 32.
void linear_quantized(ThreadPool& pool, const LinearArgs& args, QuantType type, const std::byte* w,
                      QuantCompute compute = QuantCompute::precise);

/// dequantize_row (core/quant_type.h) with the vector kernels: the same values.
/// errors   shape_mismatch when block_size(type) does not divide k
void dequantize(QuantType type, const std::byte* blocks, float* out, std::int64_t k);

/// Where a product goes: rows `row_stride` elements apart, columns adjacent.
struct MatmulOutput {
  void* data;
  FloatType type;
  std::int64_t row_stride;
};

/// c[m, n] = sum over k of a[m, k] * b[k, n], accumulated in float32, rounded once to c's type.
/// a, b     any strides, zero (broadcast) and negative ones too; types may differ
/// c        must not overlap a or b
/// errors   out_of_memory as std::bad_alloc: panels of up to a few MiB are packed on the heap
void matmul(ThreadPool& pool, std::int64_t m, std::int64_t n, std::int64_t k,
            const StridedMatrix& a, const StridedMatrix& b, const MatmulOutput& c);

}  // namespace tessera::cpu::isa

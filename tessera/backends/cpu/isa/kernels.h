// Kernels: the table of single-threaded kernels of one instruction set, as plain function pointers.
//
// What crosses this boundary is pointers, sizes and the plain structs below: the files behind it
// are compiled for processors that the rest of the library must not assume, so they may share no
// inline function or template with it (a linker keeps one copy, and it may be the one that traps).
#pragma once

#include <cstdint>

namespace tessera::cpu::isa {

/// How the elements of an array of floats are stored.
enum class FloatType : std::uint8_t { f32, f16, bf16 };

/// Every storage of a weight matrix: the FloatTypes, then the QuantTypes in their order.
inline constexpr int kFloatTypes = 3;
inline constexpr int kQuantTypes = 10;
inline constexpr int kWeightTypes = kFloatTypes + kQuantTypes;

/// What the codes of a matrix quantised in groups (core/quant_groups.h) stand for: unsigned
/// integers of so many bits, or floats.
enum class CodeType : std::uint8_t { u1, u2, u3, u4, u5, u6, u8, e2m1, e4m3 };
inline constexpr int kCodeTypes = 9;

/// How the scales of groups are stored: the FloatTypes, then uint8 formats.
enum class ScaleType : std::uint8_t { f32, f16, bf16, e8m0, e4m3 };

/// Rows of a matrix quantised in groups: w = scale * code + bias.
struct GroupedRows {
  const void* codes;
  std::int64_t codes_stride;    // bytes from row to row
  const void *scales, *biases;  // of one type; biases may be null
  std::int64_t scales_stride;   // elements from row to row
  ScaleType scale_type;
  int group_size;        // 16, 32, 64 or 128
  float bias_per_scale;  // without biases the bias is this times the scale
};

/// y[m, n] = alpha * sum over k of x[m, k] * w[n, k] + bias[n], for all m and a range of n.
struct LinearTask {
  std::int64_t m, k;
  const float* x;
  std::int64_t x_stride;  // floats from row to row
  const void* w;
  std::int64_t w_stride;  // bytes from row to row
  const float* bias;      // [N] or null
  float* y;
  std::int64_t y_stride;  // floats from row to row
  float alpha;
};

/// Activations as int8, for the fast mode: x ~ scale[i / 32] * q[i].
struct QuantizedRows {
  std::int8_t* q;                // [m, k]
  float* scale;                  // [m, k / 32]
  float *sum_of_16, *sum_of_32;  // [m, k / 16], [m, k / 32]: scale times the sum of that many q
};

/// Activations for a few rows of quantised products, each group of 32 in the kernels' own order.
struct SummedRows {
  float* x;     // [m, k]
  float* sums;  // [m, k / 4]: of the kernels' parts of each group
};

/// A block of a general product: c[m, n] = (or +=) a[m, k] b[k, n] over packed panels.
struct GemmBlock {
  std::int64_t m, n, k;
  const float* a;  // [ceil(m / rows)][k][rows], zero-filled
  const float* b;  // [ceil(n / columns)][k][columns], zero-filled
  float* c;
  std::int64_t c_stride;
  bool accumulate;
};

/// A strided matrix of floats to be packed.
struct StridedMatrix {
  const void* data;
  FloatType type;
  std::int64_t row_stride, column_stride;  // elements
};

struct Kernels {
  /// Rows n_begin..n_end of a linear layer, by weight storage; exact (see matmul.h).
  void (*linear[kWeightTypes])(const LinearTask&, std::int64_t n_begin, std::int64_t n_end);
  /// The same for at most four rows of x, by QuantType; task.x is not read. Null where `linear`
  /// is as fast.
  void (*linear_few[kQuantTypes])(const LinearTask&, const SummedRows&, std::int64_t n_begin,
                                  std::int64_t n_end);
  /// Fills row m of `rows` from k floats (a multiple of 32).
  void (*sum_row)(const float* x, std::int64_t k, const SummedRows& rows, std::int64_t m);
  /// As linear with int8 activations, by QuantType; task.x is not read.
  void (*linear_fast[kQuantTypes])(const LinearTask&, const QuantizedRows&, std::int64_t n_begin,
                                   std::int64_t n_end);
  /// Fills row m of `rows` from k floats (a multiple of 32).
  void (*quantize_row)(const float* x, std::int64_t k, const QuantizedRows& rows, std::int64_t m);
  /// Blocks of a quantised row to float, by QuantType.
  void (*dequantize[kQuantTypes])(const void* blocks, float* out, std::int64_t k);

  /// Rows n_begin..n_end of a linear layer over grouped weights, by CodeType; task.w is not read.
  void (*linear_grouped[kCodeTypes])(const LinearTask&, const GroupedRows&, std::int64_t n_begin,
                                     std::int64_t n_end);
  /// Weights k_begin..k_end (whole groups) of one row to float, by CodeType.
  void (*widen_grouped[kCodeTypes])(const GroupedRows&, std::int64_t row, std::int64_t k_begin,
                                    std::int64_t k_end, float* out);

  /// The micro-kernel's tile, and packing for it.
  int gemm_rows, gemm_columns;
  void (*gemm_block)(const GemmBlock&);
  void (*pack_a)(const StridedMatrix& a, std::int64_t m, std::int64_t k, float* out);
  void (*pack_b)(const StridedMatrix& b, std::int64_t k, std::int64_t n, float* out);

  /// out[g, 0..n) = (or +=) sum over s of p[g, s] * v[s, 0..n): small products, attention's values.
  void (*weighted_rows[kFloatTypes])(std::int64_t g, std::int64_t s, std::int64_t n, const float* p,
                                     std::int64_t p_stride, const void* v, std::int64_t v_stride,
                                     float* out, std::int64_t out_stride, bool accumulate);
  /// A step of one row's online softmax; see attention.h.
  float (*softmax_step)(float* scores, std::int64_t n, float* max, float* sum);

  void (*widen[kFloatTypes])(const void* from, float* to, std::int64_t n);
  void (*narrow[kFloatTypes])(const float* from, void* to, std::int64_t n);

  void (*exp)(const float* x, float* y, std::int64_t n);
  void (*tanh)(const float* x, float* y, std::int64_t n);
  void (*erf)(const float* x, float* y, std::int64_t n);
  void (*sigmoid)(const float* x, float* y, std::int64_t n);
  void (*silu)(const float* x, float* y, std::int64_t n);
  void (*gelu)(const float* x, float* y, std::int64_t n);
  void (*gelu_tanh)(const float* x, float* y, std::int64_t n);
  float (*max)(const float* x, std::int64_t n);
  float (*sum)(const float* x, std::int64_t n);
  float (*sum_squares)(const float* x, std::int64_t n);
};

extern const Kernels kBaselineKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
#endif

}  // namespace tessera::cpu::isa

// TESSERA_KERNELS: the table of the instruction set that the including file is compiled for.
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/backends/cpu/isa/kernels/fast_kernels.h"
#include "tessera/backends/cpu/isa/kernels/few_rows_kernels.h"
#include "tessera/backends/cpu/isa/kernels/gemm_kernels.h"
#include "tessera/backends/cpu/isa/kernels/grouped_kernels.h"
#include "tessera/backends/cpu/isa/kernels/linear_kernels.h"
#include "tessera/backends/cpu/isa/kernels/math_kernels.h"
#include "tessera/backends/cpu/isa/kernels/weights.h"
#include "tessera/backends/cpu/isa/kernels/weights_k.h"

// In the order of FloatType and QuantType, and of CodeType.
#define TESSERA_KERNELS                                                                            \
  {                                                                                                \
    .linear = {linear<F32Weights>,  linear<F16Weights>,  linear<Bf16Weights>, linear<Q4_0Weights>, \
               linear<Q4_1Weights>, linear<Q5_0Weights>, linear<Q5_1Weights>, linear<Q8_0Weights>, \
               linear<Q2KWeights>,  linear<Q3KWeights>,  linear<Q4KWeights>,  linear<Q5KWeights>,  \
               linear<Q6KWeights>},                                                                \
    .linear_few = {nullptr,                                                                        \
                   nullptr,                                                                        \
                   linear_few<Q5_0Weights>,                                                        \
                   linear_few<Q5_1Weights>,                                                        \
                   linear_few<Q8_0Weights, true>,                                                  \
                   linear_few<Q2KWeights>,                                                         \
                   linear_few<Q3KWeights>,                                                         \
                   nullptr,                                                                        \
                   linear_few<Q5KWeights>,                                                         \
                   linear_few<Q6KWeights>},                                                        \
    .sum_row = sum_row, .linear_fast = {linear_fast<Q4_0Weights>,       linear_fast<Q4_1Weights>,  \
                                        linear_fast<Q5_0Weights>,       linear_fast<Q5_1Weights>,  \
                                        linear_fast<Q8_0Weights, true>, linear_fast<Q2KWeights>,   \
                                        linear_fast<Q3KWeights>,        linear_fast<Q4KWeights>,   \
                                        linear_fast<Q5KWeights>,        linear_fast<Q6KWeights>},  \
    .quantize_row = quantize_row,                                                                  \
    .dequantize = {dequantize<Q4_0Weights>, dequantize<Q4_1Weights>, dequantize<Q5_0Weights>,      \
                   dequantize<Q5_1Weights>, dequantize<Q8_0Weights>, dequantize<Q2KWeights>,       \
                   dequantize<Q3KWeights>,  dequantize<Q4KWeights>,  dequantize<Q5KWeights>,       \
                   dequantize<Q6KWeights>},                                                        \
    .linear_grouped = {linear_grouped<IntegerCodes<1>>, linear_grouped<IntegerCodes<2>>,           \
                       linear_grouped<IntegerCodes<3>>, linear_grouped<IntegerCodes<4>>,           \
                       linear_grouped<IntegerCodes<5>>, linear_grouped<IntegerCodes<6>>,           \
                       linear_grouped<IntegerCodes<8>>, linear_grouped<E2m1Codes>,                 \
                       linear_grouped<E4m3Codes>},                                                 \
    .widen_grouped = {widen_grouped<IntegerCodes<1>>, widen_grouped<IntegerCodes<2>>,              \
                      widen_grouped<IntegerCodes<3>>, widen_grouped<IntegerCodes<4>>,              \
                      widen_grouped<IntegerCodes<5>>, widen_grouped<IntegerCodes<6>>,              \
                      widen_grouped<IntegerCodes<8>>, widen_grouped<E2m1Codes>,                    \
                      widen_grouped<E4m3Codes>},                                                   \
    .gemm_rows = kGemmRows, .gemm_columns = kGemmColumns, .gemm_block = gemm_block,                \
    .pack_a = pack_a, .pack_b = pack_b,                                                            \
    .weighted_rows = {weighted_rows<FloatType::f32>, weighted_rows<FloatType::f16>,                \
                      weighted_rows<FloatType::bf16>},                                             \
    .softmax_step = softmax_step,                                                                  \
    .widen = {widen<FloatType::f32>, widen<FloatType::f16>, widen<FloatType::bf16>},               \
    .narrow = {narrow_f32, narrow_f16, narrow_bf16}, .exp = exp_array, .tanh = tanh_array,         \
    .erf = erf_array, .sigmoid = sigmoid_array, .silu = silu_array, .gelu = gelu_array,            \
    .gelu_tanh = gelu_tanh_array, .max = max_of, .sum = sum_of, .sum_squares = sum_of_squares,     \
  }

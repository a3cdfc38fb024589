#include "tessera/backends/cpu/isa/attention.h"

#include <algorithm>

#include "tessera/backends/cpu/isa/isa.h"

namespace tessera::cpu::isa {

void attention_scores(const FloatRows& queries, const CacheRows& keys, std::int64_t d, float scale,
                      float* scores, std::int64_t scores_stride) {
  if (queries.rows <= 0 || keys.rows <= 0) return;
  if (d == 0) {
    for (std::int64_t g = 0; g < queries.rows; ++g) {
      std::fill_n(scores + g * scores_stride, keys.rows, 0.0f);
    }
    return;
  }
  const LinearTask task{.m = queries.rows,
                        .k = d,
                        .x = queries.data,
                        .x_stride = queries.stride,
                        .w = keys.data,
                        .w_stride = keys.stride * (keys.type == FloatType::f32 ? 4 : 2),
                        .bias = nullptr,
                        .y = scores,
                        .y_stride = scores_stride,
                        .alpha = scale};
  kernels().linear[static_cast<int>(keys.type)](task, 0, keys.rows);
}

void attention_values(const FloatRows& weights, const CacheRows& values, std::int64_t d, float* out,
                      std::int64_t out_stride, bool accumulate) {
  if (weights.rows <= 0 || d <= 0) return;
  kernels().weighted_rows[static_cast<int>(values.type)](weights.rows, values.rows, d, weights.data,
                                                         weights.stride, values.data, values.stride,
                                                         out, out_stride, accumulate);
}

float softmax_step(float* scores, std::int64_t n, float* max, float* sum) {
  return kernels().softmax_step(scores, n, max, sum);
}

}  // namespace tessera::cpu::isa

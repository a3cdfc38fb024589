// Attention's inner products for one thread: call them from the caller's own pieces of work.
//
//   attention_scores(queries, keys, s, d, scale, scores, s_max);
//   factor = softmax_step(scores, s, &max, &sum);    // then scale the output by factor
//   attention_values(scores, ..., out, d, true);     // out += p V
//   ... after the last block of keys: out /= sum
//
// Query rows that share a key head (grouped-query attention) go in one call: keys are read once.
#pragma once

#include <cstdint>

#include "tessera/backends/cpu/isa/kernels.h"

namespace tessera::cpu::isa {

/// Rows of floats.
struct FloatRows {
  const float* data;
  std::int64_t rows;
  std::int64_t stride;  ///< floats from row to row
};

/// Rows of a KV cache.
struct CacheRows {
  const void* data;
  FloatType type;
  std::int64_t rows;
  std::int64_t stride;  ///< elements from row to row
};

/// scores[g, s] = scale * sum over d of queries[g, d] * keys[s, d], in float32.
/// queries [G, d], keys [S, d], scores [G, S] with rows `scores_stride` floats apart
void attention_scores(const FloatRows& queries, const CacheRows& keys, std::int64_t d, float scale,
                      float* scores, std::int64_t scores_stride);

/// out[g, d] = (accumulate: +=) sum over s of weights[g, s] * values[s, d], in float32.
/// weights [G, S], values [S, d], out [G, d] with rows `out_stride` floats apart
void attention_values(const FloatRows& weights, const CacheRows& values, std::int64_t d, float* out,
                      std::int64_t out_stride, bool accumulate);

/// One row's next block of an online softmax. Starts from *max = -infinity, *sum = 0.
/// Raises *max to the block's largest score, turns scores into exp(score - *max), adds them to
/// *sum. Returns the factor by which what was summed before (the output row; *sum is done) shrinks.
/// A block of -infinity alone leaves zeros; when all blocks were, *sum stays 0. NaN makes NaN.
/// source  arXiv:1805.02867
float softmax_step(float* scores, std::int64_t n, float* max, float* sum);

}  // namespace tessera::cpu::isa

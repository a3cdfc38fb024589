// Passes over a row of logits that is as long as the vocabulary: written so that compilers turn
// them into vector code, because a step has well under a millisecond for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

struct LogitsScan {
  float greatest;  ///< -infinity when all are
  bool finite;     ///< no NaN and no +infinity
};
LogitsScan scan_logits(std::span<const float> logits);

/// out[i] = exp((logits[i] - greatest) * scale), 0 below e^-87; logits <= greatest, scale > 0.
/// Relative error below 2e-7. Returns the sum.
double exp_weights(std::span<const float> logits, float greatest, float scale,
                   std::span<float> out);

/// The k-th greatest logit, 1 <= k <= size. scratch is overwritten.
float kth_greatest(std::span<const float> logits, std::size_t k, std::vector<float>& scratch);

/// Where the smallest set of greatest weights with a sum of at least `goal` ends: the set is all
/// weights above `weight` and the first `count` that equal it.
struct WeightCut {
  float weight;
  std::size_t count;
};
/// weights not empty. scratch is overwritten.
WeightCut cut_by_sum(std::span<const float> weights, double goal, std::vector<float>& scratch);

}  // namespace tessera

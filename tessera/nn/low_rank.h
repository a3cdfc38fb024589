// LowRankAdapter: what LoRA and DoRA add to a linear layer. nn/lora.h puts it on whole models.
#pragma once

#include <optional>

#include "tessera/ir/array.h"

namespace tessera::nn {

class Linear;

/// LoRA: y + scale * (x A) B for the layer's own y = x W^T.
/// DoRA: (m / |W'|) * (y + scale * (x A) B) for the rows' norms |W'| of W' = W + scale * (A B)^T.
/// source  arXiv:2106.09685, arXiv:2402.09353; shapes and names as in mlx-lm
struct LowRankAdapter {
  array lora_a;            ///< A [K, rank]
  array lora_b;            ///< B [rank, N]
  std::optional<array> m;  ///< the magnitudes [N]; DoRA only
  float scale = 20.0f;
  float dropout = 0.0f;  ///< of x on its way to A, in training

  /// A uniform in +-1 / sqrt(K), B zeros and m the norms of the layer's rows, so that the layer
  /// computes what it did.   errors  invalid_argument for rank < 1 or a dropout outside [0, 1)
  LowRankAdapter(const Linear& layer, int rank, float scale, float dropout, bool use_dora);

  /// x [..., K] -> [..., N], the layer's bias included; dtype of x.
  array operator()(const Linear& layer, const array& x) const;
  /// The weight [N, K] that computes the same by itself, in dtype.
  array fused_weight(const Linear& layer, Dtype dtype) const;
};

}  // namespace tessera::nn

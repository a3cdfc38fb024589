// Positions for attention: rotary, sinusoidal, and linear biases. Models that configure their
// rotary embedding (scaling methods) use nn/rope.h.
#pragma once

#include <optional>

#include "tessera/nn/module.h"

namespace tessera::nn {

/// Rotary embedding: x [B, ..., T, D] turned from position `offset` on (fast::rope, ops/rope.h).
/// source  arXiv:2104.09864
class RoPE : public Stateless {
 public:
  explicit RoPE(int dims, bool traditional = false, float base = 10000.0f, float scale = 1.0f)
      : dims_(dims), traditional_(traditional), base_(base), scale_(scale) {}
  array operator()(const array& x, int offset = 0) const;

 private:
  int dims_;
  bool traditional_;
  float base_, scale_;
};

struct SinusoidalOptions {
  double min_freq = 0.0001;
  double max_freq = 1;
  std::optional<double> scale = {};  ///< none: sqrt(2 / dims)
  bool cos_first = false;
  bool full_turns = false;  ///< frequencies in turns instead of radians
};

/// Positions to features: x [...] -> [..., dims], sines and cosines of frequencies that go
/// geometrically from max_freq to min_freq, times scale.   source  arXiv:1706.03762
class SinusoidalPositionalEncoding : public Stateless {
 public:
  /// errors  invalid_argument unless dims is even and positive
  explicit SinusoidalPositionalEncoding(int dims, const SinusoidalOptions& options = {});
  array operator()(const array& x) const;

 private:
  array sigmas_;  // [dims / 2]
  double scale_;
  bool cos_first_;
};

/// Attention with linear biases: each head lowers scores in proportion to the distance.
/// source  arXiv:2108.12409
class ALiBi : public Stateless {
 public:
  /// [1, num_heads, q_sequence_length - offset, k_sequence_length]: minus slope times distance, the
  /// queries being positions offset to q_sequence_length.
  static array create_alibi_matrix(int q_sequence_length, int k_sequence_length, int num_heads,
                                   int offset = 0, Dtype dtype = float32);
  /// [num_heads, 1, 1]   errors  invalid_argument for num_heads < 1
  static array create_alibi_slope(int num_heads, Dtype dtype = float32);

  /// scores [B, H, L, S], mask added to the biases.
  array operator()(const array& attention_scores, int offset = 0,
                   const std::optional<array>& mask = std::nullopt) const;
};

}  // namespace tessera::nn

#include "tessera/nn/positional_encoding.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/rope.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera::nn {

array RoPE::operator()(const array& x, int offset) const {
  return fast::rope(x, dims_, traditional_, base_, scale_, offset);
}

namespace {

array frequencies(int dims, const SinusoidalOptions& options) {
  if (dims <= 0 || dims % 2 != 0) {
    fail(ErrorCode::invalid_argument, "nn::SinusoidalPositionalEncoding",
         "dims {} must be even and positive", dims);
  }
  const array one_to_zero =
      dims == 2 ? array({1.0f}) : 1 - arange(dims / 2) / static_cast<float>(dims / 2 - 1);
  const double least = std::log(options.min_freq);
  const array sigmas = exp(one_to_zero * (std::log(options.max_freq) - least) + least);
  return options.full_turns ? sigmas * (2 * std::numbers::pi) : sigmas;
}

}  // namespace

SinusoidalPositionalEncoding::SinusoidalPositionalEncoding(int dims,
                                                           const SinusoidalOptions& options)
    : sigmas_(frequencies(dims, options)),
      scale_(options.scale.value_or(std::sqrt(2.0 / dims))),
      cos_first_(options.cos_first) {}

array SinusoidalPositionalEncoding::operator()(const array& x) const {
  const array angles = expand_dims(x, -1) * sigmas_;
  const array first = cos_first_ ? cos(angles) : sin(angles);
  const array second = cos_first_ ? sin(angles) : cos(angles);
  const array y = concatenate({first, second}, -1);
  return scale_ == 1 ? y : y * scale_;
}

namespace {

// A power of two of heads n has 2^(-8 / n) and its powers; another number takes those of the power
// of two below it, and then every second one of the power above.
std::vector<double> slopes(int heads) {
  std::vector<double> out;
  const int below = static_cast<int>(std::bit_floor(static_cast<unsigned>(heads)));
  const double start = std::exp2(-8.0 / below);
  double slope = start;
  for (int i = 0; i < below; ++i, slope *= start) out.push_back(slope);
  if (below == heads) return out;
  const std::vector<double> above = slopes(2 * below);
  for (int i = 0; i < heads - below; ++i) out.push_back(above[2 * i]);
  return out;
}

}  // namespace

array ALiBi::create_alibi_slope(int num_heads, Dtype dtype) {
  if (num_heads < 1) fail(ErrorCode::invalid_argument, "nn::ALiBi", "{} heads", num_heads);
  const std::vector<double> all = slopes(num_heads);
  const std::vector<float> values(all.begin(), all.end());
  return astype(array(std::span<const float>(values), {num_heads, 1, 1}), dtype);
}

array ALiBi::create_alibi_matrix(int q_sequence_length, int k_sequence_length, int num_heads,
                                 int offset, Dtype dtype) {
  const array queries = expand_dims(arange(offset, q_sequence_length), -1);
  const array distance = -abs(queries - arange(k_sequence_length));
  return astype(expand_dims(distance, 0) * create_alibi_slope(num_heads, dtype), dtype);
}

array ALiBi::operator()(const array& attention_scores, int offset,
                        const std::optional<array>& mask) const {
  if (attention_scores.ndim() != 4) {
    fail(ErrorCode::shape_mismatch, "nn::ALiBi", "scores must be [B, H, L, S], got {}",
         to_string(attention_scores.shape()));
  }
  const BackendScope scope(attention_scores.backend());
  const auto size = [&](int axis) { return static_cast<int>(attention_scores.shape(axis)); };
  const array biases =
      create_alibi_matrix(size(2) + offset, size(3), size(1), offset, attention_scores.dtype());
  return attention_scores + (mask ? biases + *mask : biases);
}

}  // namespace tessera::nn

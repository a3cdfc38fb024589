#include "tessera/nn/rope.h"

#include <cmath>
#include <numbers>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/rope.h"

namespace tessera::nn {

namespace {

// Long wavelengths are stretched by the factor, short ones stay, those between are blended in
// frequency by how often they turn within the original context.
float llama3_scaled(float frequency, const RopeConfig& c) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  const double turns = c.original_max_position_embeddings / wavelength;
  if (turns > c.high_freq_factor) return frequency;
  if (turns < c.low_freq_factor) return frequency / c.factor;
  const double blend = (turns - c.low_freq_factor) / (c.high_freq_factor - c.low_freq_factor);
  return static_cast<float>((1 - blend) * frequency / c.factor + blend * frequency);
}

}  // namespace

std::vector<float> inverse_frequencies(const RopeConfig& c) {
  if (c.dims <= 0 || c.dims % 2 != 0) {
    fail(ErrorCode::invalid_argument, "rope", "dims {} must be even and positive", c.dims);
  }
  const bool llama3 = c.type == "llama3";
  const bool linear = c.type == "linear";
  if (!llama3 && !linear && c.type != "default" && c.type != "dynamic") {
    fail(ErrorCode::invalid_argument, "rope",
         "scaling type \"{}\" is unknown; known are default, linear, llama3 and dynamic", c.type);
  }
  if (!(c.factor > 0) || !std::isfinite(c.factor) || !(c.base > 0) || !std::isfinite(c.base)) {
    fail(ErrorCode::invalid_argument, "rope", "factor {} and base {} must be positive and finite",
         c.factor, c.base);
  }
  if (llama3 &&
      (!(c.high_freq_factor > c.low_freq_factor) || c.original_max_position_embeddings <= 0)) {
    fail(ErrorCode::invalid_argument, "rope",
         "llama3 scaling needs high_freq_factor > low_freq_factor and a positive "
         "original_max_position_embeddings");
  }
  std::vector<float> out(c.dims / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto f = static_cast<float>(std::pow(double(c.base), -2.0 * double(i) / c.dims));
    out[i] = llama3 ? llama3_scaled(f, c) : linear ? f / c.factor : f;
  }
  return out;
}

Rope::Rope(const RopeConfig& config, const std::vector<float>& divisors) : config_(config) {
  std::vector<float> freqs = inverse_frequencies(config);
  if (!divisors.empty() && divisors.size() != freqs.size()) {
    fail(ErrorCode::shape_mismatch, "rope", "{} divisors for {} frequencies", divisors.size(),
         freqs.size());
  }
  for (std::size_t i = 0; i < freqs.size(); ++i) {
    freqs[i] = (divisors.empty() ? 1.0f : divisors[i]) / freqs[i];
  }
  const Shape shape{static_cast<ShapeElem>(freqs.size())};
  freqs_ = array(std::span<const float>(freqs), shape);
}

array Rope::operator()(const array& x, const array& offset) const {
  return fast::rope(x, config_.dims, config_.traditional, std::nullopt, 1.0f, offset, freqs_);
}

}  // namespace tessera::nn

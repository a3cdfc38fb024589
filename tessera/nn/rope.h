// Rotary embedding as models configure it: base, scaling method, pairing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera::nn {

/// A config's rope block.
struct RopeConfig {
  int dims = 0;  ///< features that turn, even
  float base = 10000.0f;
  bool traditional = false;  ///< pairs (2i, 2i + 1) instead of (i, i + dims / 2)
  /// "default", "linear", "llama3", "dynamic" up to the trained length is "default"; others throw.
  std::string type = "default";
  float factor = 1.0f;
  float low_freq_factor = 1.0f;                 ///< llama3
  float high_freq_factor = 4.0f;                ///< llama3
  int original_max_position_embeddings = 8192;  ///< llama3, tokens
};

/// Radians per position of each pair, dims / 2 of them, scaling applied.
/// errors  invalid_argument for an unknown type, odd dims or factor <= 0
/// source  arXiv:2104.09864; llama3: the scaling published with Llama 3.1
std::vector<float> inverse_frequencies(const RopeConfig& config);

/// The layer: x [B, H, T, D] turned from position `offset` (an int32 scalar or [B]).
class Rope {
 public:
  /// divisors: positions are divided by these as well (GGUF's rope_freqs.weight), [dims / 2]
  explicit Rope(const RopeConfig& config, const std::vector<float>& divisors = {});
  array operator()(const array& x, const array& offset) const;

 private:
  RopeConfig config_;
  std::optional<array> freqs_;
};

}  // namespace tessera::nn

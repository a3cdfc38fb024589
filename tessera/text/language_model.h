// LanguageModel: what generation needs of a decoder, and what a generate call would hide: hidden
// states, logits, the cache, a hook on every layer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/nn/kv_cache.h"
#include "tessera/nn/module.h"

namespace tessera {

/// Sees (and may replace) the hidden states [B, T, C] that leave a layer.
using LayerHook = std::function<array(int layer, const array& hidden)>;

struct ForwardOptions {
  /// Per row of the batch, how many leading positions are padding (ragged prompts, padded on the
  /// left). Empty: none. The same for every call that shares a cache.
  std::vector<std::int32_t> left_padding = {};
  LayerHook hook = {};
};

class LanguageModel : public nn::Module {
 public:
  /// "llama", "qwen2", ... as in config.json.
  virtual const std::string& model_type() const = 0;
  virtual std::int64_t vocab_size() const = 0;
  virtual std::int64_t hidden_size() const = 0;
  virtual std::int64_t num_layers() const = 0;
  /// Where the weights are and the model runs.
  virtual const BackendPtr& backend() const = 0;
  /// Trained context in tokens.
  virtual std::int64_t max_positions() const = 0;

  virtual nn::KvCaches make_cache() const = 0;

  /// Runs tokens through the layers, after what the cache holds, and appends them to it.
  /// ids      [B, T] integer
  /// returns  [B, T, C], normalised as the output layer wants it
  virtual array forward(const array& ids, nn::KvCaches& cache,
                        const ForwardOptions& options = {}) const = 0;
  /// hidden [..., C] from forward -> [..., V] float32
  virtual array logits(const array& hidden) const = 0;
};

}  // namespace tessera

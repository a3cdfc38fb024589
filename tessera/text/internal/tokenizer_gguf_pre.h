// The pre-tokenizers that GGUF files name in tokenizer.ggml.pre.
#pragma once

#include <string_view>
#include <vector>

namespace tessera::text {

struct GgufPretokenizer {
  /// Split patterns in order, each isolating its matches; as the models' tokenizer.json have them.
  std::vector<std::string_view> patterns;
  /// Whole pieces that are tokens skip the merges.
  bool ignore_merges = false;
  /// Whether bos is added when the file does not say.
  bool add_bos = false;
  /// The models behind this name declare NFC.
  bool nfc = false;
};

/// nullptr for an unknown name.
const GgufPretokenizer* find_gguf_pretokenizer(std::string_view name);

}  // namespace tessera::text

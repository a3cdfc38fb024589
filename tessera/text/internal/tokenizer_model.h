// The model of a tokenizer: from a piece of text to token ids.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::text {

class TokenizerModel {
 public:
  virtual ~TokenizerModel() = default;

  /// Appends the ids of one piece. Safe to call from many threads.
  virtual void encode(std::string_view piece, std::vector<std::int32_t>& out) const = 0;

  /// Whether a piece is raw bytes (byte-level BPE, every byte has a token) and not text.
  virtual bool takes_bytes() const { return false; }
};

}  // namespace tessera::text

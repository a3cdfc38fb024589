// StreamDecoder: ids to text one by one, as a model produces them.
//
//   StreamDecoder stream(tokenizer);
//   for (id : generation) send(stream.push(id));
//   send(stream.finish());
#pragma once

#include <cstdint>
#include <string>

#include "tessera/text/tokenizer.h"

namespace tessera {

/// What push() and finish() return is valid UTF-8 and, joined, equals Tokenizer::decode(). A
/// character whose bytes are spread over several tokens comes with the token that completes it; a
/// sequence that can no longer become a character comes at once, as U+FFFD.
class StreamDecoder {
 public:
  /// The tokenizer must outlive the decoder.
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens = false);

  /// The text that this token adds; may be empty.   errors  invalid_argument for a negative id
  std::string push(std::int32_t id);
  /// The text is over: an unfinished character becomes one U+FFFD. The decoder is then as new.
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  bool skip_special_tokens_;
  DecodeState state_;
  std::string waiting_;  // the beginning of a character, at most 3 bytes
};

}  // namespace tessera

#include "tessera/text/tokenizer.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/text/stream_decoder.h"

namespace tessera {

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special_tokens) const {
  StreamDecoder stream(*this, skip_special_tokens);
  std::string text;
  for (const std::int32_t id : ids) text += stream.push(id);
  text += stream.finish();
  return text;
}

std::string Tokenizer::token_bytes(std::int32_t id) const {
  if (!token_text(id)) {
    fail(ErrorCode::not_found, "token_bytes", "no token has the id {}, the vocabulary has {} ids",
         id, vocab_size());
  }
  std::string bytes;
  DecodeState inside{.tokens = 1, .stripped = 0, .text_started = true};
  append_bytes(id, inside, bytes);
  return bytes;
}

bool Tokenizer::is_end_of_generation(std::int32_t id) const {
  const std::vector<std::int32_t>& ids = special_tokens().end_of_generation;
  return std::binary_search(ids.begin(), ids.end(), id);
}

}  // namespace tessera

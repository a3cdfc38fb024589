#include "tessera/text/stream_decoder.h"

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera {

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special_tokens)
    : tokenizer_(&tokenizer), skip_special_tokens_(skip_special_tokens) {}

std::string StreamDecoder::push(std::int32_t id) {
  if (id < 0) fail(ErrorCode::invalid_argument, "decode", "token id {} is negative", id);
  if (skip_special_tokens_ && tokenizer_->is_special(id)) return {};
  tokenizer_->append_bytes(id, state_, waiting_);
  std::string text;
  waiting_.erase(0, text::repair_utf8_prefix(waiting_, text));
  return text;
}

std::string StreamDecoder::finish() {
  std::string text;
  if (!waiting_.empty()) text += text::kReplacementCharacter;
  waiting_.clear();
  state_ = {};
  return text;
}

}  // namespace tessera

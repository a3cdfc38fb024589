#include "tessera/text/internal/tokenizer_vocab.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"

namespace tessera::text {

void Vocabulary::reserve(std::size_t tokens) {
  expected_ = tokens;
  tokens_.reserve(tokens);
  by_text_ = StringIndex(tokens);
}

void Vocabulary::add(std::int32_t id, std::string text) {
  // Holes are rare and small in real files; a stray id must not size the table.
  const std::size_t limit = std::max(expected_, count_) * 4 + 65536;
  if (id < 0 || static_cast<std::size_t>(id) >= limit) {
    fail(ErrorCode::bad_format, "vocabulary", "token {} has id {}, the vocabulary has {} tokens",
         text, id, std::max(expected_, count_));
  }
  if (static_cast<std::size_t>(id) >= tokens_.size()) tokens_.resize(id + 1);
  if (tokens_[id]) {
    fail(ErrorCode::bad_format, "vocabulary", "id {} belongs to two tokens, {} and {}", id,
         *tokens_[id], text);
  }
  if (const auto other = find(text)) {
    fail(ErrorCode::bad_format, "vocabulary", "token {} has two ids, {} and {}", text, *other, id);
  }
  tokens_[id] = std::move(text);
  by_text_.insert(*tokens_[id], static_cast<std::uint32_t>(id),
                  [&](std::uint32_t i) { return text_at(i); });
  ++count_;
}

std::optional<std::int32_t> Vocabulary::find(std::string_view text) const {
  const std::uint32_t id = by_text_.find(text, [&](std::uint32_t i) { return text_at(i); });
  if (id == StringIndex::kNone) return std::nullopt;
  return static_cast<std::int32_t>(id);
}

const std::string* Vocabulary::text(std::int32_t id) const {
  if (id < 0 || id >= size() || !tokens_[id]) return nullptr;
  return &*tokens_[id];
}

}  // namespace tessera::text

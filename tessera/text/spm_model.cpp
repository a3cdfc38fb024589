#include "tessera/text/internal/spm_model.h"

#include <algorithm>
#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {

SpmModel::SpmModel(const Vocabulary& vocabulary, ScoredTokens tokens)
    : vocabulary_(vocabulary), tokens_(std::move(tokens)) {
  const auto count = static_cast<std::size_t>(vocabulary.size());
  if (tokens_.scores.size() != count || tokens_.types.size() != count) {
    fail(ErrorCode::bad_format, "vocabulary", "{} tokens, {} scores and {} token types", count,
         tokens_.scores.size(), tokens_.types.size());
  }
  std::vector<float> order = tokens_.scores;
  for (std::size_t id = 0; id < count; ++id) {
    if (std::isnan(order[id])) {
      fail(ErrorCode::bad_format, "vocabulary", "the score of token {} is NaN", id);
    }
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  ranks_.resize(count, kNeverMerges);
  for (std::size_t id = 0; id < count; ++id) {
    const TokenType type = tokens_.types[id];
    const std::string* text = vocabulary.text(static_cast<std::int32_t>(id));
    if (text == nullptr) continue;
    // As in SentencePiece, text never turns into control, unknown or byte tokens by merging.
    if (type != TokenType::normal && type != TokenType::user_defined && type != TokenType::unused) {
      continue;
    }
    has_unused_ = has_unused_ || type == TokenType::unused;
    longest_token_ = std::max(longest_token_, text->size());
    const auto place =
        std::lower_bound(order.begin(), order.end(), tokens_.scores[id], std::greater<>());
    ranks_[id] = static_cast<std::uint32_t>(place - order.begin());
  }
  bool every_byte = true;
  for (int b = 0; b < 256; ++b) {
    const std::string name =
        tokens_.bytes ? std::string(1, static_cast<char>(b)) : fmt::format("<0x{:02X}>", b);
    byte_ids_[b] = vocabulary.find(name).value_or(-1);
    every_byte = every_byte && byte_ids_[b] >= 0;
  }
  if (tokens_.bytes && !every_byte) {
    fail(ErrorCode::bad_format, "vocabulary", "a vocabulary of bytes needs all 256 single bytes");
  }
  if (!tokens_.bytes && (every_byte || tokens_.unknown)) barrier_ = WordBarrier::make(vocabulary);
}

std::optional<std::int32_t> SpmModel::token_of(std::string_view text) const {
  if (text.size() > longest_token_) return std::nullopt;
  const std::optional<std::int32_t> id = vocabulary_.find(text);
  return id && ranks_[*id] != kNeverMerges ? id : std::nullopt;
}

void SpmModel::encode(std::string_view piece, std::vector<std::int32_t>& out) const {
  if (!barrier_) return encode_word(piece, out);
  barrier_->for_each_word(piece, [&](std::string_view word) { encode_word(word, out); });
}

void SpmModel::encode_word(std::string_view word, std::vector<std::int32_t>& out) const {
  if (cache_.find(word, out)) return;
  const std::size_t first = out.size();
  if (tokens_.bytes) {
    // tiktoken takes a piece that is a token as that token, reachable by merges or not.
    if (const auto id = token_of(word)) return out.push_back(*id);
  }
  std::vector<MergeSymbol> symbols;
  symbols.reserve(word.size());
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t length = tokens_.bytes ? 1 : utf8_length(word[at]);
    symbols.push_back(
        {0, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length), -1, -1});
    at += length;
  }
  link_symbols(symbols);
  std::vector<Split> splits;
  merge_symbols(symbols,
                [&](const MergeSymbol& left, const MergeSymbol& right) -> std::optional<Merge> {
                  const std::string_view joined = word.substr(left.begin, left.size + right.size);
                  const std::optional<std::int32_t> id = token_of(joined);
                  if (!id) return std::nullopt;
                  if (has_unused_ && tokens_.types[*id] == TokenType::unused) {
                    splits.push_back({joined, left.size});
                  }
                  return Merge{ranks_[*id], *id};
                });
  bool after_unknown = false;
  for (const MergeSymbol& symbol : symbols) {
    if (symbol.size > 0) {
      emit(word.substr(symbol.begin, symbol.size), splits, out, after_unknown);
    }
  }
  cache_.insert(word, std::span(out).subspan(first));
}

void SpmModel::emit(std::string_view piece, const std::vector<Split>& splits,
                    std::vector<std::int32_t>& out, bool& after_unknown) const {
  std::vector<std::string_view> todo{piece};
  while (!todo.empty()) {
    const std::string_view text = todo.back();
    todo.pop_back();
    const std::optional<std::int32_t> id = token_of(text);
    if (id) {
      // An unused token only helped to merge; it is taken apart the way it was put together.
      if (has_unused_ && tokens_.types[*id] == TokenType::unused) {
        const auto split = std::find_if(splits.rbegin(), splits.rend(),
                                        [&](const Split& s) { return s.whole == text; });
        if (split != splits.rend()) {
          todo.push_back(text.substr(split->left_size));
          todo.push_back(text.substr(0, split->left_size));
          continue;
        }
      }
      out.push_back(*id);
      after_unknown = false;
      continue;
    }
    const bool has_bytes = std::all_of(text.begin(), text.end(), [&](char c) {
      return byte_ids_[static_cast<unsigned char>(c)] >= 0;
    });
    if (has_bytes) {
      for (const char c : text) out.push_back(byte_ids_[static_cast<unsigned char>(c)]);
      after_unknown = false;
    } else if (tokens_.unknown && !after_unknown) {
      out.push_back(*tokens_.unknown);
      after_unknown = true;
    }
  }
}

}  // namespace tessera::text

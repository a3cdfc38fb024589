#include "tessera/text/internal/bpe_model.h"

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/bpe_byte_alphabet.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {

MergeTable::MergeTable(std::size_t expected) {
  std::size_t capacity = 16;
  while (capacity < expected * 2) capacity *= 2;
  slots_.resize(capacity);
  mask_ = capacity - 1;
}

void MergeTable::insert(std::int32_t left, std::int32_t right, Merge merge) {
  const std::uint64_t key = pair_key(left, right);
  std::size_t slot = slot_of(key);
  while (slots_[slot].key != kEmpty) {
    if (slots_[slot].key == key) return;
    slot = (slot + 1) & mask_;
  }
  slots_[slot] = {key, merge};
}

BpeModel::BpeModel(const Vocabulary& vocabulary, const MergeList& merges, const BpeOptions& options,
                   const std::vector<bool>& is_special)
    : vocabulary_(vocabulary), options_(options), merges_(merges.size()), is_special_(is_special) {
  is_special_.resize(static_cast<std::size_t>(vocabulary.size()));
  for (int b = 0; b < 256; ++b) {
    std::string name;
    if (options.byte_level) {
      append_byte_alphabet(name, std::string(1, static_cast<char>(b)));
    } else {
      name = fmt::format("<0x{:02X}>", b);
    }
    byte_ids_[b] = vocabulary.find(name).value_or(-1);
    every_byte_has_a_token_ = every_byte_has_a_token_ && byte_ids_[b] >= 0;
  }
  const bool keeps_every_character =
      options.unknown || (options.byte_fallback && every_byte_has_a_token_);
  if (!options.byte_level && keeps_every_character) barrier_ = WordBarrier::make(vocabulary);
  std::uint32_t rank = 0;
  for (const auto& [left, right] : merges) {
    const auto id_of = [&](const std::string& text) {
      const std::optional<std::int32_t> id = vocabulary.find(text);
      if (!id) {
        fail(ErrorCode::bad_format, "BPE merges", "merge {} ({} + {}) needs the token {}", rank,
             left, right, text);
      }
      return *id;
    };
    const std::int32_t left_id = id_of(left);
    const std::int32_t right_id = id_of(right);
    const std::int32_t merged_id = id_of(left + right);
    if (!is_special_[merged_id]) merges_.insert(left_id, right_id, {rank, merged_id});
    ++rank;
  }
}

std::optional<std::int32_t> BpeModel::whole_piece(std::string_view piece) const {
  std::string written;
  if (options_.byte_level) {
    append_byte_alphabet(written, piece);
    piece = written;
  }
  const std::optional<std::int32_t> id = vocabulary_.find(piece);
  return id && !is_special_[*id] ? id : std::nullopt;
}

void BpeModel::split_bytes(std::string_view piece, std::vector<MergeSymbol>& symbols) const {
  for (std::uint32_t i = 0; i < piece.size(); ++i) {
    const std::int32_t id = byte_ids_[static_cast<unsigned char>(piece[i])];
    if (id >= 0) {
      symbols.push_back({id, i, 1, -1, -1});
    } else if (options_.unknown) {
      if (options_.fuse_unknown && !symbols.empty() && symbols.back().id == *options_.unknown) {
        ++symbols.back().size;
      } else {
        symbols.push_back({*options_.unknown, i, 1, -1, -1});
      }
    }
  }
}

void BpeModel::split_characters(std::string_view piece, std::vector<MergeSymbol>& symbols) const {
  // An unknown character is held back so that its neighbours can join it.
  std::optional<MergeSymbol> unknown;
  const auto flush_unknown = [&] {
    if (unknown) symbols.push_back(*unknown);
    unknown.reset();
  };
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t length = utf8_length(piece[at]);
    const std::string_view character = piece.substr(at, length);
    const auto begin = static_cast<std::uint32_t>(at);
    const auto size = static_cast<std::uint32_t>(length);
    at += length;
    if (const auto id = vocabulary_.find(character)) {
      flush_unknown();
      symbols.push_back({*id, begin, size, -1, -1});
      continue;
    }
    const bool has_bytes = std::all_of(character.begin(), character.end(), [&](char c) {
      return byte_ids_[static_cast<unsigned char>(c)] >= 0;
    });
    if (options_.byte_fallback && has_bytes) {
      flush_unknown();
      for (std::uint32_t i = 0; i < size; ++i) {
        symbols.push_back(
            {byte_ids_[static_cast<unsigned char>(character[i])], begin + i, 1, -1, -1});
      }
    } else if (options_.unknown) {
      if (unknown && options_.fuse_unknown) {
        unknown->size += size;
      } else {
        flush_unknown();
        unknown = MergeSymbol{*options_.unknown, begin, size, -1, -1};
      }
    }
  }
  flush_unknown();
}

void BpeModel::encode(std::string_view piece, std::vector<std::int32_t>& out) const {
  if (options_.byte_level && piece.size() == 1) {
    const std::int32_t id = byte_ids_[static_cast<unsigned char>(piece[0])];
    if (id >= 0) return out.push_back(id);
  }
  if (options_.ignore_merges || !barrier_) return encode_word(piece, out);
  barrier_->for_each_word(piece, [&](std::string_view word) { encode_word(word, out); });
}

void BpeModel::encode_word(std::string_view word, std::vector<std::int32_t>& out) const {
  if (cache_.find(word, out)) return;
  const std::size_t first = out.size();
  const std::optional<std::int32_t> whole =
      options_.ignore_merges ? whole_piece(word) : std::nullopt;
  if (whole) {
    out.push_back(*whole);
  } else {
    std::vector<MergeSymbol> symbols;
    symbols.reserve(word.size());
    if (options_.byte_level) {
      split_bytes(word, symbols);
    } else {
      split_characters(word, symbols);
    }
    link_symbols(symbols);
    merge_symbols(symbols, [&](const MergeSymbol& left, const MergeSymbol& right) {
      return merges_.find(left.id, right.id);
    });
    for (const MergeSymbol& symbol : symbols) {
      if (symbol.size > 0) out.push_back(symbol.id);
    }
  }
  cache_.insert(word, std::span(out).subspan(first));
}

}  // namespace tessera::text

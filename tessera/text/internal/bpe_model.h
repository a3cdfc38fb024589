// Byte pair encoding with an explicit list of merges (Sennrich et al., arXiv:1508.07909), on bytes
// (GPT-2 and most since) or on characters (the tokenizer.json form of SentencePiece vocabularies).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tessera/text/internal/bpe_merge.h"
#include "tessera/text/internal/bpe_word_barrier.h"
#include "tessera/text/internal/bpe_word_cache.h"
#include "tessera/text/internal/tokenizer_model.h"
#include "tessera/text/internal/tokenizer_vocab.h"

namespace tessera::text {

struct BpeOptions {
  /// Pieces are raw bytes and tokens are written in the byte alphabet.
  bool byte_level = false;
  /// A piece that is a token by itself is that token, whatever the merges would give.
  bool ignore_merges = false;
  /// A character without a token becomes the tokens <0xNN> of its bytes.
  bool byte_fallback = false;
  std::optional<std::int32_t> unknown;
  /// Neighbouring unknown characters become one unknown token.
  bool fuse_unknown = false;
};

/// From a pair of ids to what it merges to; open addressing.
class MergeTable {
 public:
  explicit MergeTable(std::size_t expected);
  /// Keeps the first of two entries for one pair.
  void insert(std::int32_t left, std::int32_t right, Merge merge);
  std::optional<Merge> find(std::int32_t left, std::int32_t right) const {
    const std::uint64_t key = pair_key(left, right);
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask_) {
      if (slots_[slot].key == key) return slots_[slot].merge;
      if (slots_[slot].key == kEmpty) return std::nullopt;
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kEmpty;
    Merge merge;
  };

  static std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15u) >> 32 & mask_; }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

class BpeModel final : public TokenizerModel {
 public:
  using MergeList = std::vector<std::pair<std::string, std::string>>;

  /// Merges in order of rank. `vocabulary` must outlive the model.
  /// is_special: ids that plain text must never produce; merges to them are left out.
  /// errors  bad_format for a merge whose parts or result are not in the vocabulary
  BpeModel(const Vocabulary& vocabulary, const MergeList& merges, const BpeOptions& options,
           const std::vector<bool>& is_special);

  void encode(std::string_view piece, std::vector<std::int32_t>& out) const override;
  bool takes_bytes() const override { return options_.byte_level && every_byte_has_a_token_; }

 private:
  void encode_word(std::string_view word, std::vector<std::int32_t>& out) const;
  std::optional<std::int32_t> whole_piece(std::string_view piece) const;
  void split_bytes(std::string_view piece, std::vector<MergeSymbol>& symbols) const;
  void split_characters(std::string_view piece, std::vector<MergeSymbol>& symbols) const;

  const Vocabulary& vocabulary_;
  BpeOptions options_;
  std::array<std::int32_t, 256> byte_ids_;  // of single bytes, or of <0xNN>; -1 where there is none
  bool every_byte_has_a_token_ = true;
  MergeTable merges_;
  std::optional<WordBarrier> barrier_;
  std::vector<bool> is_special_;
  mutable WordCache cache_;
};

}  // namespace tessera::text

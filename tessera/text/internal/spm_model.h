// BPE that has no list of merges: two neighbours may merge when their joined text is a token, and
// the better token goes first. With scores over characters this is SentencePiece's BPE
// (arXiv:1808.06226), with ranks over bytes it is tiktoken's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/text/internal/bpe_merge.h"
#include "tessera/text/internal/bpe_word_barrier.h"
#include "tessera/text/internal/bpe_word_cache.h"
#include "tessera/text/internal/tokenizer_model.h"
#include "tessera/text/internal/tokenizer_vocab.h"

namespace tessera::text {

/// What a token is for; the numbers are those of SentencePiece and GGUF.
enum class TokenType : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6,
};

struct ScoredTokens {
  /// By id; a higher score merges first. Of one length with `types` and the vocabulary.
  std::vector<float> scores;
  std::vector<TokenType> types;
  /// Start from bytes (tiktoken) instead of characters.
  bool bytes = false;
  /// Stands for a run of characters with neither a token nor byte tokens.
  std::optional<std::int32_t> unknown;
};

class SpmModel final : public TokenizerModel {
 public:
  /// `vocabulary` must outlive the model.   errors  bad_format for a score that is NaN
  SpmModel(const Vocabulary& vocabulary, ScoredTokens tokens);

  void encode(std::string_view piece, std::vector<std::int32_t>& out) const override;
  bool takes_bytes() const override { return tokens_.bytes; }

 private:
  static constexpr std::uint32_t kNeverMerges = 0xFFFFFFFF;

  struct Split {
    std::string_view whole;
    std::size_t left_size;
  };

  void encode_word(std::string_view word, std::vector<std::int32_t>& out) const;
  void emit(std::string_view piece, const std::vector<Split>& splits,
            std::vector<std::int32_t>& out, bool& after_unknown) const;
  std::optional<std::int32_t> token_of(std::string_view text) const;

  const Vocabulary& vocabulary_;
  ScoredTokens tokens_;
  std::vector<std::uint32_t> ranks_;  // by id, from the scores
  std::size_t longest_token_ = 0;     // bytes
  std::array<std::int32_t, 256> byte_ids_;
  bool has_unused_ = false;
  std::optional<WordBarrier> barrier_;
  mutable WordCache cache_;
};

}  // namespace tessera::text

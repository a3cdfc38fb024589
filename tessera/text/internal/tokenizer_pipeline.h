// The tokenizer that all file kinds are brought to: added tokens, normalizers, pre-tokenizers, a
// model, and what surrounds a text.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tessera/text/internal/added_tokens.h"
#include "tessera/text/internal/normalizer.h"
#include "tessera/text/internal/pretokenizer.h"
#include "tessera/text/internal/tokenizer_decoder.h"
#include "tessera/text/internal/tokenizer_model.h"
#include "tessera/text/internal/tokenizer_vocab.h"
#include "tessera/text/tokenizer.h"

namespace tessera::text {

struct TokenizerParts {
  /// The model's own tokens; the model refers to it.
  std::shared_ptr<const Vocabulary> vocabulary;
  /// Tokens found in the text before the model runs; some are in the vocabulary as well.
  std::vector<AddedToken> added;
  /// The texts of tokens with normalized = true are normalized already.
  bool added_are_normalized = false;
  NormalizerChain normalizer;
  PretokenizerChain pretokenizers;
  std::unique_ptr<const TokenizerModel> model;
  TokenDecoder decoder;
  /// Ids around a text when special tokens are added.
  std::vector<std::int32_t> prefix;
  std::vector<std::int32_t> suffix;
  SpecialTokens special;
};

class TokenizerPipeline final : public Tokenizer {
 public:
  /// errors  bad_format when two added tokens share an id, or an id of another vocabulary token
  explicit TokenizerPipeline(TokenizerParts parts);

  std::vector<std::int32_t> encode(std::string_view text,
                                   const EncodeOptions& options) const override;
  std::vector<std::int32_t> encode_bytes(std::string_view bytes) const override;
  std::vector<std::string> pretokenize(std::string_view text) const override;
  void append_bytes(std::int32_t id, DecodeState& state, std::string& out) const override;
  std::optional<std::string> token_text(std::int32_t id) const override;
  std::optional<std::int32_t> token_to_id(std::string_view token) const override;
  std::int32_t vocab_size() const override { return size_; }
  const SpecialTokens& special_tokens() const override { return parts_.special; }
  bool is_special(std::int32_t id) const override;

 private:
  /// Visits, in order, added tokens (an id and their text) and pieces for the model (id -1).
  using Visitor = function_ref<void(std::string_view piece, std::int32_t id)>;
  /// plain: where special tokens stay text, as in AddedTokenMatcher::split.
  void for_each_piece(std::string_view text, std::span<const Range> plain, Visitor visit) const;
  void cut(std::string_view text, bool at_start, Visitor visit) const;

  TokenizerParts parts_;
  AddedTokenMatcher raw_;
  AddedTokenMatcher normalized_;
  std::unordered_map<std::int32_t, AddedToken> added_by_id_;
  std::unordered_map<std::string, std::int32_t> added_by_text_;
  std::int32_t size_ = 0;
};

/// Marks, by id, the special ones of these tokens.
std::vector<bool> special_ids(const std::vector<AddedToken>& added);

/// The ids of special tokens whose name means the end of a turn or text in a known chat format,
/// joined with the declared ids; sorted.
std::vector<std::int32_t> end_of_generation_ids(const std::vector<AddedToken>& added,
                                                std::vector<std::int32_t> declared);

}  // namespace tessera::text

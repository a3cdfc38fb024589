// From the tokens of a SentencePiece vocabulary to a tokenizer; shared by .model and GGUF files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tessera/text/internal/spm_model.h"
#include "tessera/text/internal/tokenizer_pipeline.h"

namespace tessera::text {

struct SpmTokens {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::vector<float> scores;
  std::vector<TokenType> types;
  std::optional<std::int32_t> unknown;
  /// Put a space in front of a text that is not empty.
  bool add_space_prefix = false;
};

/// Everything but prefix, suffix and the roles of special tokens.
TokenizerParts make_spm_parts(SpmTokens tokens);

}  // namespace tessera::text

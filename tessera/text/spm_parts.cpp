#include "tessera/text/internal/spm_parts.h"

namespace tessera::text {

TokenizerParts make_spm_parts(SpmTokens tokens) {
  TokenizerParts parts;
  parts.vocabulary = tokens.vocabulary;
  parts.added_are_normalized = true;
  for (std::size_t i = 0; i < tokens.types.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    const TokenType type = tokens.types[i];
    const std::string* text = tokens.vocabulary->text(id);
    if (text == nullptr) continue;
    AddedToken token;
    token.id = id;
    token.text = *text;
    token.special = type == TokenType::control || type == TokenType::unknown;
    token.normalized = type == TokenType::user_defined && tokens.user_defined_in_normalized_text;
    if (token.special || type == TokenType::user_defined) parts.added.push_back(std::move(token));
  }
  const std::string mark(kSpaceMark);
  if (tokens.add_space_prefix) {
    parts.normalizer.add(make_prepend_normalizer(mark));
    parts.decoder.strip_start(" ", 1);
  }
  parts.normalizer.add(make_replace_normalizer(" ", mark));
  parts.decoder.add({.kind = TokenDecoder::StepKind::replace, .from = mark, .to = " "});
  parts.decoder.add({.kind = TokenDecoder::StepKind::byte_fallback});
  parts.special.unk = tokens.unknown;
  ScoredTokens scored;
  scored.scores = std::move(tokens.scores);
  scored.types = std::move(tokens.types);
  scored.unknown = tokens.unknown;
  parts.model = std::make_unique<SpmModel>(*parts.vocabulary, std::move(scored));
  return parts;
}

}  // namespace tessera::text

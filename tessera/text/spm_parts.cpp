#include "tessera/text/internal/spm_parts.h"

namespace tessera::text {
namespace {

std::string with_space_marks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ') {
      out += kSpaceMark;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

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
    if (type == TokenType::user_defined) {
      // As in SentencePiece they are looked for in the escaped text; GGUF writes their U+2581 as
      // spaces.
      token.normalized = true;
      token.text = with_space_marks(token.text);
    }
    if (token.special || token.normalized) parts.added.push_back(std::move(token));
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

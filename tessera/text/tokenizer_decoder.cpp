#include "tessera/text/internal/tokenizer_decoder.h"

#include <charconv>

#include "tessera/text/internal/bpe_byte_alphabet.h"

namespace tessera::text {
namespace {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = text.find(from); found != text.npos; found = text.find(from, at)) {
    out.append(text.substr(at, found - at));
    out += to;
    at = found + from.size();
  }
  out.append(text.substr(at));
  return out;
}

void strip(std::string& text, std::string_view what, std::size_t left, std::size_t right) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  for (; left > 0 && std::string_view(text).substr(begin).starts_with(what); --left) {
    begin += what.size();
  }
  for (; right > 0 && end >= begin + what.size() &&
         std::string_view(text).substr(begin, end - begin).ends_with(what);
       --right) {
    end -= what.size();
  }
  text = text.substr(begin, end - begin);
}

}  // namespace

std::optional<char> parse_byte_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
  if (error != std::errc() || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(value);
}

void TokenDecoder::strip_start(std::string text, std::size_t count) {
  strip_text_ = std::move(text);
  strip_count_ = count;
}

void TokenDecoder::append(std::string_view token, bool is_added, DecodeState& state,
                          std::string& out) const {
  std::string text(token);
  bool is_byte = false;  // further steps see text only
  for (const Step& step : steps_) {
    if (is_byte) break;
    switch (step.kind) {
      case StepKind::byte_alphabet:
        if (is_added) break;
        if (auto bytes = bytes_from_alphabet(text)) {
          text = std::move(*bytes);
          is_byte = true;
        }
        break;
      case StepKind::byte_fallback:
        if (const auto byte = parse_byte_token(text)) {
          text = *byte;
          is_byte = true;
        }
        break;
      case StepKind::replace:
        text = replaced(text, step.from, step.to);
        break;
      case StepKind::metaspace:
        text = replaced(text, step.from, step.drop_first && state.tokens == 0 ? "" : " ");
        break;
      case StepKind::strip:
        strip(text, step.from, step.left, step.right);
        break;
    }
  }
  if (state.tokens > 0) out += separator_;
  ++state.tokens;
  std::string_view rest = text;
  while (!state.text_started && state.stripped < strip_count_ && rest.starts_with(strip_text_)) {
    rest.remove_prefix(strip_text_.size());
    ++state.stripped;
  }
  state.text_started = state.text_started || !rest.empty();
  out += rest;
}

}  // namespace tessera::text

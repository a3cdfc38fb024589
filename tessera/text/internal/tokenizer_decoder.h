// From tokens back to bytes: the decoder part of a tokenizer file, brought into a form that works
// token by token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/text/tokenizer.h"

namespace tessera::text {

/// A chain of steps over each token, then a strip at the start of the joined text.
class TokenDecoder {
 public:
  enum class StepKind {
    byte_alphabet,  ///< characters of the byte alphabet become bytes; added tokens stay
    byte_fallback,  ///< <0xNN> becomes that byte
    replace,        ///< every `from` becomes `to`
    metaspace,      ///< `from` becomes a space; dropped in the first token when drop_first
    strip,          ///< up to `left` / `right` characters `from` at either end
  };
  struct Step {
    StepKind kind;
    std::string from = {};
    std::string to = {};
    std::size_t left = 0;
    std::size_t right = 0;
    bool drop_first = false;
  };

  void add(Step step) { steps_.push_back(std::move(step)); }
  /// Up to `count` times `text` is removed from the start of the joined text.
  void strip_start(std::string text, std::size_t count);
  /// Stands between tokens.
  void set_separator(std::string separator) { separator_ = std::move(separator); }

  /// Appends the bytes of the next token. is_added: an added token, which is written literally.
  void append(std::string_view token, bool is_added, DecodeState& state, std::string& out) const;

 private:
  std::vector<Step> steps_;
  std::string separator_;
  std::string strip_text_;
  std::size_t strip_count_ = 0;
};

/// The byte that a token "<0xNN>" stands for.
std::optional<char> parse_byte_token(std::string_view token);

}  // namespace tessera::text

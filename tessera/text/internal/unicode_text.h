// UTF-8 walking and the character classes that tokenizer files mean by \s, \w, "digit" and so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::text {

/// One step over UTF-8. A broken sequence gives valid = false and the length of its maximal
/// invalid part (1 to 3 bytes), the unit that the WHATWG Encoding standard replaces by one U+FFFD.
struct Utf8Step {
  char32_t code_point = 0;
  std::size_t length = 0;
  bool valid = false;
  /// The bytes are a proper beginning of a character that the end of the text cuts off.
  bool truncated = false;
};

/// Reads the character at text[at]; `at` must be inside the text.
Utf8Step utf8_step(std::string_view text, std::size_t at);

/// utf8_step for text already known to be valid.
inline Utf8Step utf8_step_valid(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true, false};
  const auto tail = [&](std::size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
  if (lead < 0xE0) return {static_cast<char32_t>(lead & 0x1F) << 6 | tail(1), 2, true, false};
  if (lead < 0xF0) {
    return {static_cast<char32_t>(lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3, true, false};
  }
  return {static_cast<char32_t>(lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4,
          true, false};
}

/// Bytes of the character that starts with this byte of valid UTF-8.
inline std::size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

void append_utf8(std::string& out, char32_t code_point);

/// Offset of the first invalid byte, or text.size() when all of it is valid.
std::size_t utf8_valid_prefix(std::string_view text);

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

/// Appends bytes as valid UTF-8, each maximal invalid part as one U+FFFD, and returns how many
/// bytes it took: a character that the end of the bytes cuts off (at most 3 bytes) is left for
/// later.
std::size_t repair_utf8_prefix(std::string_view bytes, std::string& out);

/// The whole text repaired; a character cut off by its end is one U+FFFD.
std::string repair_utf8(std::string_view text);

/// Unicode White_Space: what \s means in Oniguruma and Rust (unlike PCRE2, without U+180E).
bool is_whitespace(char32_t c);
/// \w of Rust's regex crate: Alphabetic, marks, decimal digits, connectors, joiners.
bool is_word(char32_t c);
/// General category Nd, Nl or No.
bool is_numeric(char32_t c);
/// ASCII punctuation and symbols, or general category P*.
bool is_punctuation(char32_t c);
/// General category Mn, Mc or Me.
bool is_mark(char32_t c);

}  // namespace tessera::text

// Code points of UTF-8 text with the classes and case mappings Python's str uses.
// A byte that does not belong to valid UTF-8 counts as one character of no class, kept as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::jinja::unicode {

struct Character {
  char32_t code;     ///< kInvalid for a byte outside valid UTF-8
  std::size_t size;  ///< bytes taken, 1 to 4
};
inline constexpr char32_t kInvalid = 0xFFFFFFFF;

/// The character at byte `at` (at < text.size()).
Character decode(std::string_view text, std::size_t at);
/// Appends the UTF-8 of a code point; surrogates and values above U+10FFFF become U+FFFD.
void encode(char32_t code, std::string& out);

bool is_ascii(std::string_view text);
/// Number of characters.
std::size_t count(std::string_view text);
/// Byte offset of character `index`; text.size() at or past the end.
std::size_t offset(std::string_view text, std::size_t index);

bool is_space(char32_t code);
bool is_alpha(char32_t code);
bool is_decimal(char32_t code);
bool is_digit(char32_t code);
bool is_numeric(char32_t code);
bool is_upper(char32_t code);
bool is_lower(char32_t code);
bool is_title(char32_t code);
bool is_printable(char32_t code);
/// Letters, digits and the underscore: regular-expression \w.
bool is_word(char32_t code);
bool is_line_break(char32_t code);

/// Full case mappings of one character (`code` at byte `at` of `text`, for the final sigma).
void append_upper(char32_t code, std::string& out);
void append_title(char32_t code, std::string& out);
void append_lower(std::string_view text, std::size_t at, char32_t code, std::string& out);

/// The end of leading and the begin of trailing white space.
std::size_t skip_space(std::string_view text, std::size_t at);
std::size_t trim_end(std::string_view text, std::size_t end);

/// The character that ends before byte `end` (end > 0).
Character decode_before(std::string_view text, std::size_t end);

}  // namespace tessera::jinja::unicode

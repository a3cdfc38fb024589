#include "tessera/text/internal/jinja/unicode.h"

#include <utf8proc.h>

#include <cstdint>

namespace tessera::jinja::unicode {
namespace {

utf8proc_category_t category(char32_t code) {
  if (code > 0x10FFFF) return UTF8PROC_CATEGORY_CN;
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool is_cased(char32_t code) {
  return is_upper(code) || is_lower(code) || is_title(code);
}

/// Characters between a letter and its word's edge that the final-sigma rule looks through.
bool is_case_ignorable(char32_t code) {
  switch (category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: return code == '\'' || code == '.' || code == ':' || code == 0xB7 || code == 0x2019;
  }
}

bool is_final_sigma(std::string_view text, std::size_t at, std::size_t size) {
  bool cased_before = false;
  for (std::size_t end = at; end > 0;) {
    const Character previous = decode_before(text, end);
    end -= previous.size;
    if (is_case_ignorable(previous.code)) continue;
    cased_before = is_cased(previous.code);
    break;
  }
  if (!cased_before) return false;
  for (std::size_t next = at + size; next < text.size();) {
    const Character following = decode(text, next);
    next += following.size;
    if (is_case_ignorable(following.code)) continue;
    return !is_cased(following.code);
  }
  return true;
}

/// Case folding writes out exactly those characters whose upper case has several (sharp s, the
/// ligatures, Greek with iota subscript), so it stands in for the table of special casing.
int fold(char32_t code, utf8proc_int32_t (&out)[8]) {
  int boundary = 0;
  const auto length = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), out, 8,
                                              UTF8PROC_CASEFOLD, &boundary);
  return length > 0 && length <= 8 ? static_cast<int>(length) : 0;
}

}  // namespace

Character decode(std::string_view text, std::size_t at) {
  const unsigned char lead = text[at];
  if (lead < 0x80) return {lead, 1};
  utf8proc_int32_t code = 0;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &code);
  if (size <= 0) return {kInvalid, 1};
  return {static_cast<char32_t>(code), static_cast<std::size_t>(size)};
}

Character decode_before(std::string_view text, std::size_t end) {
  for (std::size_t size = 1; size <= 4 && size <= end; ++size) {
    const unsigned char byte = text[end - size];
    if ((byte & 0xC0) == 0x80) continue;
    const Character character = decode(text.substr(0, end), end - size);
    if (character.size == size) return character;
    break;
  }
  return {kInvalid, 1};
}

void encode(char32_t code, std::string& out) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

bool is_ascii(std::string_view text) {
  unsigned char bits = 0;
  for (unsigned char byte : text) bits |= byte;
  return bits < 0x80;
}

std::size_t count(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) at += decode(text, at).size;
  return characters;
}

std::size_t offset(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  while (index-- > 0 && at < text.size()) at += decode(text, at).size;
  return at;
}

bool is_space(char32_t code) {
  return (code >= 9 && code <= 13) || (code >= 28 && code <= 32) || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_line_break(char32_t code) {
  return (code >= 10 && code <= 13) || (code >= 28 && code <= 30) || code == 0x85 ||
         code == 0x2028 || code == 0x2029;
}

bool is_alpha(char32_t code) {
  switch (category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return true;
    default: return false;
  }
}

bool is_decimal(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_ND;
}

bool is_digit(char32_t code) {
  return is_decimal(code) || code == 0xB2 || code == 0xB3 || code == 0xB9 || code == 0x2070 ||
         (code >= 0x2074 && code <= 0x2079) || (code >= 0x2080 && code <= 0x2089) ||
         (code >= 0x2460 && code <= 0x2468);
}

bool is_numeric(char32_t code) {
  const auto kind = category(code);
  return kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL ||
         kind == UTF8PROC_CATEGORY_NO;
}

bool is_upper(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_LU;
}
bool is_lower(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_LL || code == 0xAA || code == 0xBA;
}
bool is_title(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_LT;
}

bool is_printable(char32_t code) {
  if (code == ' ') return true;
  switch (category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS: return false;
    default: return true;
  }
}

bool is_word(char32_t code) {
  return code == '_' || is_alpha(code) || is_numeric(code);
}

void append_upper(char32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code >= 'a' && code <= 'z' ? code - 32 : code));
    return;
  }
  utf8proc_int32_t folded[8];
  const int length = is_upper(code) ? 0 : fold(code, folded);
  if (length > 1) {
    for (int i = 0; i < length; ++i) encode(utf8proc_toupper(folded[i]), out);
  } else {
    encode(utf8proc_toupper(static_cast<utf8proc_int32_t>(code)), out);
  }
}

void append_title(char32_t code, std::string& out) {
  utf8proc_int32_t folded[8];
  const auto simple = utf8proc_totitle(static_cast<utf8proc_int32_t>(code));
  const bool maps_alone = code < 0x80 || is_upper(code) || is_title(code) ||
                          (static_cast<char32_t>(simple) != code && simple != 0x1E9E);
  const int length = maps_alone ? 0 : fold(code, folded);
  if (length > 1) {
    encode(utf8proc_totitle(folded[0]), out);
    for (int i = 1; i < length; ++i) encode(folded[i], out);
  } else {
    encode(simple, out);
  }
}

void append_lower(std::string_view text, std::size_t at, char32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code >= 'A' && code <= 'Z' ? code + 32 : code));
  } else if (code == 0x130) {
    out += "i\xCC\x87";
  } else if (code == 0x3A3) {
    encode(is_final_sigma(text, at, 2) ? 0x3C2 : 0x3C3, out);
  } else {
    encode(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)), out);
  }
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Character character = decode(text, at);
    if (!is_space(character.code)) break;
    at += character.size;
  }
  return at;
}

std::size_t trim_end(std::string_view text, std::size_t end) {
  while (end > 0) {
    const Character character = decode_before(text, end);
    if (!is_space(character.code)) break;
    end -= character.size;
  }
  return end;
}

}  // namespace tessera::jinja::unicode

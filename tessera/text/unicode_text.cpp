#include "tessera/text/internal/unicode_text.h"

#include <utf8proc.h>

#include <cstring>

namespace tessera::text {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_letter(utf8proc_category_t c) {
  return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}

bool is_mark_category(utf8proc_category_t c) {
  return c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_MC || c == UTF8PROC_CATEGORY_ME;
}

/// Bytes of a sequence by its lead byte; 0 for a byte that cannot lead.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

/// The second byte is where overlong forms, surrogates and values above U+10FFFF show.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return second >= 0x80 && second <= 0xBF;
  }
}

}  // namespace

Utf8Step utf8_step(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true, false};
  if (length == 0) return {0, 1, false, false};
  const std::size_t available = text.size() - at;
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= available) return {0, i, false, true};
    const bool fits = i == 1 ? second_byte_fits(lead, byte(1)) : (byte(i) & 0xC0) == 0x80;
    if (!fits) return {0, i, false, false};
  }
  return utf8_step_valid(text, at);
}

void append_utf8(std::string& out, char32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += tail(6);
    out += tail(0);
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += tail(12);
    out += tail(6);
    out += tail(0);
  }
}

std::size_t utf8_valid_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t block;
    if (text.size() - at >= sizeof(block)) {
      std::memcpy(&block, text.data() + at, sizeof(block));
      if ((block & 0x8080808080808080u) == 0) {
        at += sizeof(block);
        continue;
      }
    }
    const Utf8Step step = utf8_step(text, at);
    if (!step.valid) break;
    at += step.length;
  }
  return at;
}

std::size_t repair_utf8_prefix(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t good = utf8_valid_prefix(bytes.substr(at));
    out += bytes.substr(at, good);
    at += good;
    if (at == bytes.size()) break;
    const Utf8Step step = utf8_step(bytes, at);
    if (step.truncated) break;
    out += kReplacementCharacter;
    at += step.length;
  }
  return at;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  if (repair_utf8_prefix(text, out) < text.size()) out += kReplacementCharacter;
  return out;
}

bool is_whitespace(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_word(char32_t c) {
  const utf8proc_category_t kind = category(c);
  if (is_letter(kind) || is_mark_category(kind)) return true;
  if (kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL ||
      kind == UTF8PROC_CATEGORY_PC) {
    return true;
  }
  // Join_Control, and the symbols with the property Other_Alphabetic (circled and squared letters).
  return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) ||
         (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
         (c >= 0x1F170 && c <= 0x1F189);
}

bool is_numeric(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
  }
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_mark(char32_t c) {
  return is_mark_category(category(c));
}

}  // namespace tessera::text

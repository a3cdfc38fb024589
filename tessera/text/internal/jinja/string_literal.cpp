#include "tessera/text/internal/jinja/string_literal.h"

#include <charconv>

#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

/// Exactly `digits` hexadecimal digits at `at`, advanced past them.
bool read_hex(std::string_view body, std::size_t& at, std::size_t digits, char32_t& code) {
  if (body.size() - at < digits) return false;
  std::uint32_t value = 0;
  const char* end = body.data() + at + digits;
  if (std::from_chars(body.data() + at, end, value, 16).ptr != end) return false;
  at += digits;
  code = value;
  return code <= 0x10FFFF;
}

/// \u escapes of a surrogate pair spell one character.
bool read_unicode(std::string_view body, std::size_t& at, std::size_t digits, std::string& out) {
  char32_t code = 0;
  if (!read_hex(body, at, digits, code)) return false;
  const bool high = code >= 0xD800 && code < 0xDC00;
  if (high && body.substr(at, 2) == "\\u") {
    std::size_t next = at + 2;
    char32_t low = 0;
    if (read_hex(body, next, 4, low) && low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      at = next;
    }
  }
  unicode::encode(code, out);
  return true;
}

void read_octal(std::string_view body, std::size_t& at, std::string& out) {
  char32_t code = 0;
  for (int i = 0; i < 3 && at < body.size() && body[at] >= '0' && body[at] <= '7'; ++i, ++at) {
    code = code * 8 + (body[at] - '0');
  }
  unicode::encode(code, out);
}

}  // namespace

bool unescape_literal(std::string_view body, std::string& out) {
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] != '\\' || at + 1 == body.size()) {
      out.push_back(body[at++]);
      continue;
    }
    const char letter = body[at + 1];
    at += 2;
    switch (letter) {
      case '\n': break;
      case '\\':
      case '\'':
      case '"': out.push_back(letter); break;
      case 'a': out.push_back('\a'); break;
      case 'b': out.push_back('\b'); break;
      case 'f': out.push_back('\f'); break;
      case 'n': out.push_back('\n'); break;
      case 'r': out.push_back('\r'); break;
      case 't': out.push_back('\t'); break;
      case 'v': out.push_back('\v'); break;
      case 'x': {
        char32_t code = 0;
        if (!read_hex(body, at, 2, code)) return false;
        unicode::encode(code, out);
        break;
      }
      case 'u':
        if (!read_unicode(body, at, 4, out)) return false;
        break;
      case 'U':
        if (!read_unicode(body, at, 8, out)) return false;
        break;
      case 'N': return false;
      default:
        if (letter >= '0' && letter <= '7') {
          --at;
          read_octal(body, at, out);
        } else {
          out.push_back('\\');
          out.push_back(letter);
        }
    }
  }
  return true;
}

}  // namespace tessera::jinja

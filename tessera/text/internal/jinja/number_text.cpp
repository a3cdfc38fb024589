#include "tessera/text/internal/jinja/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

/// Without blanks and underscores; nothing when an underscore stands elsewhere than between digits.
std::optional<std::string> clean(std::string_view text) {
  const std::size_t begin = unicode::skip_space(text, 0);
  const std::size_t end = std::max(begin, unicode::trim_end(text, text.size()));
  text = text.substr(begin, end - begin);
  const auto is_digit = [&](std::size_t i) {
    const char c = i < text.size() ? text[i] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out.push_back(text[i]);
    } else if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) {
      return std::nullopt;
    }
  }
  return out;
}

char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

int base_of_prefix(std::string_view digits) {
  if (digits.size() < 2 || digits[0] != '0') return 0;
  switch (lower_ascii(digits[1])) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 0;
  }
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text, std::int64_t base) {
  const auto cleaned = clean(text);
  if (!cleaned || base < 0 || base == 1 || base > 36) return std::nullopt;
  std::string_view digits = *cleaned;
  std::string number;
  if (digits.starts_with('-') || digits.starts_with('+')) {
    if (digits.front() == '-') number = "-";
    digits.remove_prefix(1);
  }
  const int prefix = base_of_prefix(digits);
  if (prefix != 0 && (base == 0 || base == prefix)) {
    digits.remove_prefix(2);
    base = prefix;
  }
  if (base == 0) base = 10;
  if (digits.empty() || digits.front() == '-' || digits.front() == '+') return std::nullopt;
  number += digits;
  std::int64_t value = 0;
  const char* end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value, static_cast<int>(base));
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> parse_float(std::string_view text) {
  auto cleaned = clean(text);
  if (!cleaned) return std::nullopt;
  std::string& number = *cleaned;
  std::transform(number.begin(), number.end(), number.begin(), lower_ascii);
  if (number.starts_with('+')) {
    number.erase(0, 1);
    if (number.starts_with('-')) return std::nullopt;
  }
  if (number.find_first_of("(x") != std::string::npos) return std::nullopt;
  double value = 0;
  const char* end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value);
  if (number.empty() || result.ptr != end) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    const bool tiny = number.find("e-") != std::string::npos;
    const double magnitude = tiny ? 0.0 : HUGE_VAL;
    return number.front() == '-' ? -magnitude : magnitude;
  }
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

}  // namespace tessera::jinja

#include "tessera/text/internal/jinja/number_format.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/text_ops.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

bool is_align(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

std::int64_t read_count(Runtime& runtime, std::string_view spec, std::size_t& at) {
  std::int64_t value = 0;
  while (at < spec.size() && spec[at] >= '0' && spec[at] <= '9') {
    value = value * 10 + (spec[at++] - '0');
    if (value > kMaxFormatSize) runtime.fail("a format width above {}", kMaxFormatSize);
  }
  return value;
}

std::string integer_digits(std::uint64_t magnitude, char type) {
  switch (type) {
    case 'x': return fmt::format("{:x}", magnitude);
    case 'X': return fmt::format("{:X}", magnitude);
    case 'o': return fmt::format("{:o}", magnitude);
    case 'b': return fmt::format("{:b}", magnitude);
    default: return fmt::format("{}", magnitude);
  }
}

/// Digits of |value| for a floating type; `value` is finite and not negative.
std::string float_digits(double value, const FormatSpec& spec) {
  const int precision = static_cast<int>(spec.precision.value_or(6));
  const char* alternate = spec.alternate ? "#" : "";
  switch (spec.type) {
    case 'f':
    case 'F': return fmt::format("{:.{}f}", value, precision);
    case 'e': return fmt::format("{:.{}e}", value, precision);
    case 'E': return fmt::format("{:.{}E}", value, precision);
    case '%': return fmt::format("{:.{}f}%", value * 100, precision);
    case 'g':
    case 'G': {
      const std::string form = fmt::format("{{:{}.{{}}{}}}", alternate, spec.type);
      return fmt::format(fmt::runtime(form), value, precision == 0 ? 1 : precision);
    }
    default:
      if (!spec.precision) return float_repr(value);
      return fmt::format("{:.{}g}", value, precision == 0 ? 1 : precision);
  }
}

void group(std::string& digits, char separator) {
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  for (std::size_t i = end; i > 3; i -= 3) digits.insert(i - 3, 1, separator);
}

Text aligned_number(Runtime& runtime, bool negative, std::string prefix, std::string digits,
                    const FormatSpec& spec) {
  if (spec.grouping != 0) group(digits, spec.grouping);
  std::string sign = negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
  sign += prefix;
  const Text fill(spec.fill);
  if (spec.align == '=') {
    const auto width = spec.width - static_cast<std::int64_t>(sign.size());
    Text out(std::move(sign));
    out.append(pad(runtime, Text(std::move(digits)), width, Align::right, fill));
    return out;
  }
  const Align align = spec.align == '<'   ? Align::left
                      : spec.align == '^' ? Align::center
                                          : Align::right;
  return pad(runtime, Text(sign + digits), spec.width, align, fill);
}

Text format_integer(Runtime& runtime, std::int64_t value, const FormatSpec& spec) {
  if (spec.type == 'c') {
    std::string character;
    if (value < 0 || value > 0x10FFFF) runtime.fail("%c needs a code point, not {}", value);
    unicode::encode(static_cast<char32_t>(value), character);
    return pad(runtime, Text(character), spec.width, spec.align == '>' ? Align::right : Align::left,
               Text(spec.fill));
  }
  const auto magnitude =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string digits = integer_digits(magnitude, spec.type);
  if (spec.precision && digits.size() < static_cast<std::size_t>(*spec.precision)) {
    digits.insert(0, static_cast<std::size_t>(*spec.precision) - digits.size(), '0');
  }
  std::string prefix;
  if (spec.alternate &&
      (spec.type == 'x' || spec.type == 'X' || spec.type == 'o' || spec.type == 'b')) {
    prefix = std::string("0") + spec.type;
  }
  return aligned_number(runtime, value < 0, std::move(prefix), std::move(digits), spec);
}

Text format_float(Runtime& runtime, double value, const FormatSpec& spec) {
  const bool negative = std::signbit(value) && !std::isnan(value);
  std::string digits;
  if (std::isfinite(value)) {
    digits = float_digits(std::fabs(value), spec);
    const bool bare = spec.type == 0 && spec.precision &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
    if (bare) digits += ".0";
  } else {
    digits = std::isnan(value) ? "nan" : "inf";
    const bool upper = spec.type == 'F' || spec.type == 'E' || spec.type == 'G';
    if (upper) digits = std::isnan(value) ? "NAN" : "INF";
    if (spec.type == '%') digits += '%';
  }
  return aligned_number(runtime, negative, "", std::move(digits), spec);
}

Text format_text(Runtime& runtime, const Text& text, const FormatSpec& spec) {
  Text shown = text;
  if (spec.precision) {
    runtime.work(text.size());
    const auto characters = static_cast<std::size_t>(*spec.precision);
    shown = text.slice(0, unicode::offset(text.view(), characters));
  }
  const Align align = spec.align == '>'   ? Align::right
                      : spec.align == '^' ? Align::center
                                          : Align::left;
  return pad(runtime, shown, spec.width, align, Text(spec.fill));
}

bool is_float_type(char type) {
  return type != 0 && std::strchr("fFeEgG%", type) != nullptr;
}

}  // namespace

FormatSpec parse_format_spec(Runtime& runtime, std::string_view text) {
  FormatSpec spec;
  std::size_t at = 0;
  if (!text.empty()) {
    const std::size_t first = unicode::decode(text, 0).size;
    if (first < text.size() && is_align(text[first])) {
      spec.fill = std::string(text.substr(0, first));
      spec.align = text[first];
      at = first + 1;
    } else if (is_align(text[0])) {
      spec.align = text[0];
      at = 1;
    }
  }
  const auto take = [&](char c) {
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  };
  for (char sign : {'+', '-', ' '}) {
    if (take(sign)) spec.sign = sign;
  }
  spec.alternate = take('#');
  if (take('0') && spec.align == 0) {
    spec.fill = "0";
    spec.align = '=';
  }
  spec.width = read_count(runtime, text, at);
  if (take(',')) spec.grouping = ',';
  if (take('_')) spec.grouping = '_';
  if (take('.')) spec.precision = read_count(runtime, text, at);
  if (at < text.size()) spec.type = text[at++];
  if (at != text.size() || (spec.type != 0 && !std::strchr("sdnxXobcfFeEgG%", spec.type))) {
    runtime.fail("'{}' is no format specification", text);
  }
  return spec;
}

Text format_value(Runtime& runtime, const Value& value, const FormatSpec& spec) {
  if (value.is_number() && !(value.is_boolean() && spec.type == 0)) {
    if (value.is_float() || is_float_type(spec.type)) {
      if (!is_float_type(spec.type) && spec.type != 0) {
        runtime.fail("format type '{}' needs an int", spec.type);
      }
      return format_float(runtime, value.as_double(), spec);
    }
    if (spec.type == 's') runtime.fail("format type 's' needs a str");
    return format_integer(runtime, value.as_int(), spec);
  }
  if (spec.type != 0 && spec.type != 's') {
    runtime.fail("format type '{}' needs a number, not {}", spec.type, value.type_name());
  }
  return format_text(runtime, to_text(runtime, value), spec);
}

}  // namespace tessera::jinja

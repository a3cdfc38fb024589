#include "tessera/text/internal/jinja/print.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

void append_escaped(std::string_view text, std::size_t at, unicode::Character character,
                    std::string& out) {
  const char32_t code = character.code;
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\r') {
    out += "\\r";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code == unicode::kInvalid || unicode::is_printable(code)) {
    out.append(text, at, character.size);
  } else if (code < 0x100) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned>(code));
  } else if (code < 0x10000) {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
  } else {
    out += fmt::format("\\U{:08x}", static_cast<unsigned>(code));
  }
}

/// One container's repr, whole: user text if any part was.
Text whole(const Text& text) {
  return text.has_user() ? Text(text.bytes(), /*from_user=*/true) : text;
}

}  // namespace

Text with_origin_of(std::string bytes, const Text& source) {
  return Text(std::move(bytes), source.has_user());
}

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  std::string_view scientific(buffer, end - buffer);
  const std::string sign = scientific.front() == '-' ? "-" : "";
  if (!sign.empty()) scientific.remove_prefix(1);
  const std::size_t mark = scientific.find('e');
  std::string digits(1, scientific.front());
  if (mark > 2) digits.append(scientific.substr(2, mark - 2));
  int exponent = 0;
  const char* number = scientific.data() + mark + (scientific[mark + 1] == '+' ? 2 : 1);
  std::from_chars(number, scientific.data() + scientific.size(), exponent);

  if (exponent < -4 || exponent >= 16) {
    const std::string fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}{}e{}{:02}", sign, digits.front(), fraction, exponent < 0 ? '-' : '+',
                       std::abs(exponent));
  }
  if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
  const std::size_t whole_digits = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole_digits) {
    return sign + digits + std::string(whole_digits - digits.size(), '0') + ".0";
  }
  return sign + digits.substr(0, whole_digits) + "." + digits.substr(whole_digits);
}

std::string quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Character character = unicode::decode(text, at);
    if (character.code == static_cast<char32_t>(quote) || character.code == '\\') {
      out.push_back('\\');
      out.push_back(text[at]);
    } else {
      append_escaped(text, at, character, out);
    }
    at += character.size;
  }
  out.push_back(quote);
  return out;
}

Text repr_items(Runtime& runtime, const Items& items, std::string_view open, std::string_view close,
                int depth) {
  Text out{std::string(open)};
  for (std::size_t i = 0; i < items.values.size(); ++i) {
    if (i > 0) out.append(", ");
    out.append(repr(runtime, items.values[i], depth + 1));
  }
  out.append(close);
  return whole(out);
}

Text repr_dict(Runtime& runtime, const Dict& dict, int depth) {
  Text out("{");
  for (const auto& [key, value] : dict.entries()) {
    if (out.size() > 1) out.append(", ");
    out.append(repr(runtime, key, depth + 1));
    out.append(": ");
    out.append(repr(runtime, value, depth + 1));
  }
  out.append("}");
  return whole(out);
}

Text repr(Runtime& runtime, const Value& value, int depth) {
  runtime.step();
  // Only a namespace that holds itself gets this deep: containers are bounded when made.
  if (depth > 2 * kMaxValueDepth) runtime.fail("a value that contains itself cannot be printed");
  switch (value.kind()) {
    case Value::Kind::undefined: return Text("Undefined");
    case Value::Kind::none: return Text("None");
    case Value::Kind::boolean: return Text(value.as_bool() ? "True" : "False");
    case Value::Kind::integer: return Text(std::to_string(value.as_int()));
    case Value::Kind::big_integer: return Text(value.digits());
    case Value::Kind::floating: return Text(float_repr(value.as_double()));
    case Value::Kind::string: {
      std::string text = quoted(value.view());
      if (value.as_string().markup) text = "Markup(" + text + ")";
      runtime.allocate(text.size());
      return with_origin_of(std::move(text), value.text());
    }
    case Value::Kind::list: return repr_items(runtime, value.items(), "[", "]", depth);
    case Value::Kind::tuple:
      return repr_items(runtime, value.items(), "(", value.items().values.size() == 1 ? ",)" : ")",
                        depth);
    case Value::Kind::dict: return repr_dict(runtime, value.dict(), depth);
    case Value::Kind::object: return value.object()->repr(runtime, depth);
  }
  return {};
}

Text to_text(Runtime& runtime, const Value& value) {
  if (value.is_string()) {
    runtime.allocate(value.text().size());
    return value.text();
  }
  if (value.is_undefined()) return {};
  return repr(runtime, value);
}

}  // namespace tessera::jinja

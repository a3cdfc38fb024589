// Filters that make text out of text.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/filters.h"
#include "tessera/text/internal/jinja/format.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/text_ops.h"
#include "tessera/text/internal/jinja/unicode.h"
#include "tessera/text/internal/jinja/word_wrap.h"

namespace tessera::jinja {
namespace {

bool is_markup(const Value& value) {
  return value.is_string() && value.as_string().markup;
}

template <Text (*kOperation)(Runtime&, const Text&)>
Value map_case(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "case filter", arguments, {});
  return Value::string(kOperation(runtime, to_text(runtime, input)), is_markup(input));
}

Value trim_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "trim", arguments, {"chars"});
  std::optional<std::string_view> chars;
  if (bound.has_value(0)) chars = bound.text(0).view();
  return Value::string(strip(runtime, to_text(runtime, input), chars), is_markup(input));
}

Value replace_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "replace", arguments, {"old", "new", "count"}, 2);
  const std::int64_t count = bound.has_value(2) ? bound.integer(2, -1) : -1;
  return Value::string(replace(runtime, to_text(runtime, input), to_text(runtime, bound[0]).view(),
                               to_text(runtime, bound[1]), count));
}

/// Jinja's own title: words begin after blanks, hyphens and opening brackets.
Value title_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "title", arguments, {});
  const Text text = to_text(runtime, input);
  const auto separates = [](char32_t code) {
    return unicode::is_space(code) || code == '-' || code == '(' || code == '{' || code == '[' ||
           code == '<';
  };
  Text out;
  std::size_t at = 0;
  const auto code_at = [&](std::size_t i) { return unicode::decode(text.view(), i); };
  while (at < text.size()) {
    const unicode::Character first = code_at(at);
    const bool separator = separates(first.code);
    std::size_t end = at + first.size;
    while (end < text.size() && separates(code_at(end).code) == separator) {
      end += code_at(end).size;
    }
    out.append(upper(runtime, text.slice(at, at + first.size)));
    out.append(lower(runtime, text.slice(at + first.size, end)));
    at = end;
  }
  return Value::string(std::move(out));
}

Value center_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "center", arguments, {"width"});
  return Value::string(
      pad(runtime, to_text(runtime, input), bound.integer(0, 80), Align::center, Text(" ")),
      is_markup(input));
}

Value indent_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "indent", arguments, {"width", "first", "blank"});
  if (!input.is_string()) runtime.fail("indent needs a str, not {}", input.type_name());
  Text indent;
  if (bound.has(0) && bound[0].is_string()) {
    indent = bound[0].text();
  } else {
    indent = pad(runtime, Text(), bound.integer(0, 4), Align::left, Text(" "));
  }
  Text source = input.text();
  source.append("\n");
  const std::vector<Text> lines = split_lines(runtime, source, /*keep_ends=*/false);
  const bool blank = bound.flag(2, false);
  Text out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out.append("\n");
    const bool indents = i == 0 ? bound.flag(1, false) : blank || !lines[i].empty();
    if (indents) {
      runtime.allocate(indent.size());
      out.append(indent);
    }
    out.append(lines[i]);
  }
  return make_string(runtime, std::move(out), is_markup(input));
}

Value truncate_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "truncate", arguments, {"length", "killwords", "end", "leeway"});
  if (!input.is_string()) runtime.fail("truncate needs a str, not {}", input.type_name());
  const Text& text = input.text();
  const std::int64_t limit = bound.integer(0, 255);
  const Text end = bound.has(2) ? bound.text(2) : Text("...");
  const std::int64_t leeway = bound.has_value(3) ? bound.integer(3, 5) : 5;
  const auto end_size = static_cast<std::int64_t>(unicode::count(end.view()));
  if (limit < end_size || leeway < 0) {
    runtime.fail("truncate: the length must be at least {} and the leeway not negative", end_size);
  }
  const std::int64_t size = length(runtime, input).value_or(0);
  if (size - leeway <= limit) return input;
  Text kept =
      text.slice(0, unicode::offset(text.view(), static_cast<std::size_t>(limit - end_size)));
  if (!bound.flag(1, false)) {
    const std::size_t blank = kept.view().rfind(' ');
    if (blank != std::string_view::npos) kept = kept.slice(0, blank);
  }
  kept.append(end);
  return make_string(runtime, std::move(kept));
}

Value wordwrap_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "wordwrap", arguments,
                    {"width", "break_long_words", "wrapstring", "break_on_hyphens"});
  if (!input.is_string()) runtime.fail("wordwrap needs a str, not {}", input.type_name());
  const Text separator = bound.has_value(2) ? bound.text(2) : Text("\n");
  WrapOptions options;
  options.width = bound.integer(0, 79);
  options.break_long_words = bound.flag(1, true);
  options.break_on_hyphens = bound.flag(3, true);
  std::vector<Text> paragraphs;
  for (const Text& line : split_lines(runtime, input.text(), /*keep_ends=*/false)) {
    paragraphs.push_back(join(runtime, separator, word_wrap(runtime, line, options)));
  }
  return Value::string(join(runtime, separator, paragraphs));
}

Value wordcount_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "wordcount", arguments, {});
  const Text text = to_text(runtime, input);
  std::int64_t words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Character character = unicode::decode(text.view(), at);
    const bool word = unicode::is_word(character.code);
    if (word && !in_word) ++words;
    in_word = word;
    at += character.size;
  }
  return Value(words);
}

Value string_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "string", arguments, {});
  if (input.is_string()) return input;
  return Value::string(to_text(runtime, input));
}

Value safe_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "safe", arguments, {});
  return Value::string(to_text(runtime, input), /*markup=*/true);
}

Value escape_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "escape", arguments, {});
  if (is_markup(input)) return input;
  return Value::string(escape_html(runtime, to_text(runtime, input)), /*markup=*/true);
}

Value forceescape_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "forceescape", arguments, {});
  return Value::string(escape_html(runtime, to_text(runtime, input)), /*markup=*/true);
}

Value format_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty()) {
    runtime.fail("format takes positional or keyword arguments, not both");
  }
  const Text format = to_text(runtime, input);
  if (arguments.named.empty()) {
    return percent_format(runtime, String{format}, Value::tuple(arguments.positional));
  }
  auto values = std::make_shared<Dict>();
  for (const auto& [name, value] : arguments.named) {
    values->set(runtime, Value::string(name), value);
  }
  return percent_format(runtime, String{format}, Value(std::shared_ptr<const Dict>(values)));
}

Text quote_url(Runtime& runtime, const Text& text, bool for_query) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text.bytes()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    const bool digit = byte >= '0' && byte <= '9';
    const bool plain = letter || digit || byte == '_' || byte == '.' || byte == '-' ||
                       byte == '~' || (!for_query && byte == '/');
    if (plain) {
      out.push_back(c);
    } else if (for_query && c == ' ') {
      out.push_back('+');
    } else {
      out.push_back('%');
      out.push_back(kHex[byte >> 4]);
      out.push_back(kHex[byte & 15]);
    }
  }
  runtime.allocate(out.size());
  return with_origin_of(std::move(out), text);
}

Value urlencode_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "urlencode", arguments, {});
  if (input.is_string() || !is_iterable(input)) {
    return Value::string(quote_url(runtime, to_text(runtime, input), /*for_query=*/false));
  }
  std::vector<std::pair<Value, Value>> pairs;
  if (input.is_dict()) {
    pairs = input.dict().entries();
  } else {
    for (const auto items = iterate(runtime, input); const Value& item : items->values) {
      if (!item.is_sequence() || item.items().values.size() != 2) {
        runtime.fail("urlencode needs pairs");
      }
      pairs.emplace_back(item.items().values[0], item.items().values[1]);
    }
  }
  Text out;
  for (const auto& [key, value] : pairs) {
    if (!out.empty()) out.append("&");
    out.append(quote_url(runtime, to_text(runtime, key), /*for_query=*/true));
    out.append("=");
    out.append(quote_url(runtime, to_text(runtime, value), /*for_query=*/true));
  }
  return Value::string(std::move(out));
}

}  // namespace

Text escape_html(Runtime& runtime, const Text& text) {
  Text out;
  text.for_each_piece([&](std::string_view piece, bool from_user) {
    std::string escaped;
    for (const char c : piece) {
      switch (c) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '>': escaped += "&gt;"; break;
        case '\'': escaped += "&#39;"; break;
        case '"': escaped += "&#34;"; break;
        default: escaped.push_back(c);
      }
    }
    out.append(escaped, from_user);
  });
  return charged(runtime, std::move(out));
}

FilterFunction find_text_filter(std::string_view name) {
  static const std::unordered_map<std::string_view, FilterFunction> kFilters = {
      {"capitalize", map_case<capitalize>},
      {"center", center_filter},
      {"e", escape_filter},
      {"escape", escape_filter},
      {"forceescape", forceescape_filter},
      {"format", format_filter},
      {"indent", indent_filter},
      {"lower", map_case<lower>},
      {"replace", replace_filter},
      {"safe", safe_filter},
      {"string", string_filter},
      {"title", title_filter},
      {"trim", trim_filter},
      {"truncate", truncate_filter},
      {"upper", map_case<upper>},
      {"urlencode", urlencode_filter},
      {"wordcount", wordcount_filter},
      {"wordwrap", wordwrap_filter},
  };
  const auto found = kFilters.find(name);
  return found == kFilters.end() ? nullptr : found->second;
}

}  // namespace tessera::jinja

// The methods of str.
#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/format.h"
#include "tessera/text/internal/jinja/methods.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/text_ops.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

/// A result of the same flavour (plain or markup) as the string it came from.
Value like(const Value& self, Text text) {
  return Value::string(std::move(text), self.as_string().markup);
}

Value list_of(const Value& self, std::vector<Text> parts) {
  std::vector<Value> values;
  values.reserve(parts.size());
  for (Text& part : parts) values.push_back(like(self, std::move(part)));
  return Value::list(std::move(values));
}

template <Text (*kOperation)(Runtime&, const Text&)>
Value map_case(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "str method", arguments, {});
  return like(self, kOperation(runtime, self.text()));
}

template <Sides kSides>
Value strip_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "strip", arguments, {"chars"});
  std::optional<std::string_view> chars;
  if (bound.has_value(0)) chars = bound.text(0).view();
  return like(self, strip(runtime, self.text(), chars, kSides));
}

template <bool kFromRight>
Value split_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "split", arguments, {"sep", "maxsplit"});
  const std::int64_t limit = bound.integer(1, -1);
  const Text& text = self.text();
  if (!bound.has_value(0)) {
    return list_of(self, kFromRight ? split_space_right(runtime, text, limit)
                                    : split_space(runtime, text, limit));
  }
  const std::string_view separator = bound.text(0).view();
  if (separator.empty()) runtime.fail("split: empty separator");
  return list_of(self, kFromRight ? split_right(runtime, text, separator, limit)
                                  : split(runtime, text, separator, limit));
}

Value splitlines_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "splitlines", arguments, {"keepends"});
  return list_of(self, split_lines(runtime, self.text(), bound.flag(0, false)));
}

template <bool kFromRight>
Value partition_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "partition", arguments, {"sep"}, 1);
  const Text& text = self.text();
  const Text& separator = bound.text(0);
  if (separator.empty()) runtime.fail("partition: empty separator");
  runtime.allocate(text.size());
  const std::size_t found = kFromRight ? rfind_bytes(runtime, text.view(), separator.view())
                                       : find_bytes(runtime, text.view(), separator.view());
  if (found == std::string_view::npos) {
    const Value none = like(self, Text());
    return kFromRight ? Value::tuple({none, none, self}) : Value::tuple({self, none, none});
  }
  const std::size_t after = found + separator.size();
  return Value::tuple({like(self, text.slice(0, found)), like(self, text.slice(found, after)),
                       like(self, text.slice(after, text.size()))});
}

/// The part of the text that optional start and end arguments (in characters) leave.
struct Window {
  std::size_t begin;
  std::size_t end;
  bool valid;  // false when start is past the end: then not even "" is found
};

Window window(Runtime& runtime, const Value& self, const Bound& bound, std::size_t first) {
  const std::string_view bytes = self.view();
  if (!bound.has_value(first) && !bound.has_value(first + 1)) return {0, bytes.size(), true};
  const std::int64_t size = length(runtime, self).value_or(0);
  const auto place = [&](std::size_t i, std::int64_t fallback) {
    std::int64_t index = bound.has_value(i) ? bound.integer(i, 0) : fallback;
    if (index < 0) index = std::max<std::int64_t>(index + size, 0);
    return index;
  };
  const std::int64_t start = place(first, 0);
  const std::int64_t stop = std::min(place(first + 1, size), size);
  if (start > size || start > stop) return {0, 0, false};
  runtime.work(bytes.size());
  return {unicode::offset(bytes, static_cast<std::size_t>(start)),
          unicode::offset(bytes, static_cast<std::size_t>(stop)), true};
}

template <bool kAtStart>
Value affix_test(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const char* name = kAtStart ? "startswith" : "endswith";
  const Bound bound(runtime, name, arguments, {"affix", "start", "end"}, 1);
  const Window part = window(runtime, self, bound, 1);
  if (!part.valid) return Value(false);
  const std::string_view text = self.view().substr(part.begin, part.end - part.begin);
  const auto matches = [&](const Value& affix) {
    if (!affix.is_string()) {
      runtime.fail("{} needs a str or a tuple of them, not {}", name, affix.type_name());
    }
    runtime.work(affix.view().size());
    return kAtStart ? text.starts_with(affix.view()) : text.ends_with(affix.view());
  };
  if (!bound[0].is_tuple()) return Value(matches(bound[0]));
  const auto& choices = bound[0].items().values;
  return Value(std::any_of(choices.begin(), choices.end(), matches));
}

enum class Missing { minus_one, error };

template <bool kFromRight, Missing kMissing>
Value find_method_of_str(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "find", arguments, {"sub", "start", "end"}, 1);
  const std::string_view needle = bound.text(0).view();
  const Window part = window(runtime, self, bound, 1);
  std::size_t found = std::string_view::npos;
  if (part.valid) {
    const std::string_view text = self.view().substr(part.begin, part.end - part.begin);
    found = kFromRight ? rfind_bytes(runtime, text, needle) : find_bytes(runtime, text, needle);
    runtime.work(self.view().size());
  }
  if (found == std::string_view::npos) {
    if (kMissing == Missing::error) runtime.fail("index: substring not found");
    return Value(std::int64_t{-1});
  }
  return Value(
      static_cast<std::int64_t>(unicode::count(self.view().substr(0, part.begin + found))));
}

Value count_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "count", arguments, {"sub", "start", "end"}, 1);
  const std::string_view needle = bound.text(0).view();
  const Window part = window(runtime, self, bound, 1);
  if (!part.valid) return Value(std::int64_t{0});
  const std::string_view text = self.view().substr(part.begin, part.end - part.begin);
  runtime.work(text.size());
  if (needle.empty()) return Value(static_cast<std::int64_t>(unicode::count(text)) + 1);
  std::int64_t times = 0;
  for (std::size_t at = find_bytes(runtime, text, needle); at != std::string_view::npos;
       at = find_bytes(runtime, text, needle, at + needle.size())) {
    ++times;
  }
  return Value(times);
}

Value replace_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "replace", arguments, {"old", "new", "count"}, 2);
  return like(self, replace(runtime, self.text(), bound.text(0).view(), bound.text(1),
                            bound.integer(2, -1)));
}

Value join_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "join", arguments, {"iterable"}, 1);
  std::vector<Text> parts;
  for (const auto items = iterate(runtime, bound[0]); const Value& value : items->values) {
    if (!value.is_string()) runtime.fail("join needs str items, not {}", value.type_name());
    parts.push_back(value.text());
  }
  return like(self, join(runtime, self.text(), parts));
}

template <bool kAtStart>
Value remove_affix(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "removeprefix", arguments, {"affix"}, 1);
  const std::string_view affix = bound.text(0).view();
  const Text& text = self.text();
  if (kAtStart && text.view().starts_with(affix)) {
    return like(self, charged(runtime, text.slice(affix.size(), text.size())));
  }
  if (!kAtStart && text.view().ends_with(affix)) {
    return like(self, charged(runtime, text.slice(0, text.size() - affix.size())));
  }
  return self;
}

template <Align kAlign>
Value pad_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "center", arguments, {"width", "fillchar"}, 1);
  const Text fill = bound.has(1) ? bound.text(1) : Text(" ");
  if (unicode::count(fill.view()) != 1) runtime.fail("the fill character must be one character");
  return like(self, pad(runtime, self.text(), bound.integer(0, 0), kAlign, fill));
}

Value zfill_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "zfill", arguments, {"width"}, 1);
  const Text& text = self.text();
  const bool has_sign = text.view().starts_with('-') || text.view().starts_with('+');
  const std::size_t sign = has_sign ? 1 : 0;
  Text out = text.slice(0, sign);
  out.append(pad(runtime, text.slice(sign, text.size()),
                 bound.integer(0, 0) - static_cast<std::int64_t>(sign), Align::right, Text("0")));
  return like(self, std::move(out));
}

Value format_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return brace_format(runtime, self.as_string(), arguments);
}

/// All characters are of a class, and there is at least one.
template <bool (*kClass)(char32_t)>
Value all_are(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "str method", arguments, {});
  const std::string_view text = self.view();
  runtime.work(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Character character = unicode::decode(text, at);
    if (!kClass(character.code)) return Value(false);
    at += character.size;
  }
  return Value(!text.empty());
}

bool is_alnum(char32_t code) {
  return unicode::is_alpha(code) || unicode::is_digit(code) || unicode::is_numeric(code);
}

/// islower and isupper: no cased character is of the other kind, and one is of this.
template <bool kUpper>
Value case_test(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "str method", arguments, {});
  const std::string_view text = self.view();
  runtime.work(text.size());
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Character character = unicode::decode(text, at);
    const bool upper = unicode::is_upper(character.code);
    const bool lower = unicode::is_lower(character.code);
    if (unicode::is_title(character.code) || (kUpper ? lower : upper)) return Value(false);
    any = any || (kUpper ? upper : lower);
    at += character.size;
  }
  return Value(any);
}

Value istitle_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "istitle", arguments, {});
  const std::string_view text = self.view();
  runtime.work(text.size());
  bool any = false;
  bool in_word = false;
  for (std::size_t at = 0; at < text.size();) {
    const unicode::Character character = unicode::decode(text, at);
    const bool starts = unicode::is_upper(character.code) || unicode::is_title(character.code);
    const bool continues = unicode::is_lower(character.code);
    if ((starts && in_word) || (continues && !in_word)) return Value(false);
    in_word = starts || continues;
    any = any || in_word;
    at += character.size;
  }
  return Value(any);
}

Value isascii_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "isascii", arguments, {});
  return Value(self.as_string().ascii);
}

}  // namespace

MethodFunction find_string_method(std::string_view name) {
  static const std::unordered_map<std::string_view, MethodFunction> kMethods = {
      {"capitalize", map_case<capitalize>},
      {"casefold", map_case<lower>},
      {"center", pad_method<Align::center>},
      {"count", count_method},
      {"endswith", affix_test<false>},
      {"find", find_method_of_str<false, Missing::minus_one>},
      {"format", format_method},
      {"index", find_method_of_str<false, Missing::error>},
      {"isalnum", all_are<is_alnum>},
      {"isalpha", all_are<unicode::is_alpha>},
      {"isascii", isascii_method},
      {"isdecimal", all_are<unicode::is_decimal>},
      {"isdigit", all_are<unicode::is_digit>},
      {"islower", case_test<false>},
      {"isnumeric", all_are<unicode::is_numeric>},
      {"isspace", all_are<unicode::is_space>},
      {"istitle", istitle_method},
      {"isupper", case_test<true>},
      {"join", join_method},
      {"ljust", pad_method<Align::left>},
      {"lower", map_case<lower>},
      {"lstrip", strip_method<Sides::left>},
      {"partition", partition_method<false>},
      {"removeprefix", remove_affix<true>},
      {"removesuffix", remove_affix<false>},
      {"replace", replace_method},
      {"rfind", find_method_of_str<true, Missing::minus_one>},
      {"rindex", find_method_of_str<true, Missing::error>},
      {"rjust", pad_method<Align::right>},
      {"rpartition", partition_method<true>},
      {"rsplit", split_method<true>},
      {"rstrip", strip_method<Sides::right>},
      {"split", split_method<false>},
      {"splitlines", splitlines_method},
      {"startswith", affix_test<true>},
      {"strip", strip_method<Sides::both>},
      {"swapcase", map_case<swap_case>},
      {"title", map_case<title>},
      {"upper", map_case<upper>},
      {"zfill", zfill_method},
  };
  const auto found = kMethods.find(name);
  return found == kMethods.end() ? nullptr : found->second;
}

}  // namespace tessera::jinja

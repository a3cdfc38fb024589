#include <algorithm>
#include <string>

#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/methods.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

/// A name as an error message shows it: user text is cut.
std::string shown(std::string_view name) {
  constexpr std::size_t kShown = 60;
  if (name.size() <= kShown) return quoted(name);
  return quoted(name.substr(0, kShown)) + "...";
}

std::string describe(const Value& value) {
  if (value.is_none()) return "None";
  return std::string(value.type_name()) + " object";
}

Value no_attribute(const Value& value, std::string_view name) {
  return Value::undefined("'" + describe(value) + "' has no attribute " + shown(name));
}

Value no_element(Runtime& runtime, const Value& value, const Value& key) {
  return Value::undefined(describe(value) + " has no element " +
                          (key.is_string() ? shown(key.view()) : repr(runtime, key).bytes()));
}

/// Python index to [0, size), or nothing.
std::optional<std::size_t> normalize_index(std::int64_t index, std::size_t size) {
  if (index < 0) index += static_cast<std::int64_t>(size);
  if (index < 0 || index >= static_cast<std::int64_t>(size)) return std::nullopt;
  return static_cast<std::size_t>(index);
}

std::size_t character_count(Runtime& runtime, const String& string) {
  if (string.ascii) return string.text.size();
  runtime.work(string.text.size());
  return unicode::count(string.text.view());
}

Value character(Runtime& runtime, const String& string, std::size_t index) {
  const std::string_view bytes = string.text.view();
  std::size_t at = index;
  if (!string.ascii) {
    runtime.work(bytes.size());
    at = unicode::offset(bytes, index);
  }
  return make_string(runtime, string.text.slice(at, at + unicode::decode(bytes, at).size));
}

std::optional<Value> item(Runtime& runtime, const Value& value, const Value& key) {
  if (value.is_dict()) {
    // A key that cannot be hashed is no key: the lookup falls through to undefined.
    if (key.is_list() || key.is_dict()) return std::nullopt;
    const Value* found = value.dict().find(runtime, key);
    return found == nullptr ? std::nullopt : std::optional<Value>(*found);
  }
  if (!key.is_integral()) return std::nullopt;
  if (value.is_string()) {
    const auto index = normalize_index(key.as_int(), character_count(runtime, value.as_string()));
    return index ? std::optional<Value>(character(runtime, value.as_string(), *index))
                 : std::nullopt;
  }
  std::shared_ptr<const Items> items;
  if (value.is_sequence()) items = value.items_ptr();
  if (value.is_object() && value.object()->indexable()) items = value.object()->iterate(runtime);
  if (!items) return std::nullopt;
  const auto index = normalize_index(key.as_int(), items->values.size());
  return index ? std::optional<Value>(items->values[*index]) : std::nullopt;
}

/// What Python's getattr finds; nothing when there is no such attribute.
std::optional<Value> native_attribute(Runtime& runtime, const Value& value, std::string_view name) {
  if (value.is_object()) return value.object()->attribute(runtime, name);
  if (value.is_tuple() && value.items().is_group) {
    if (name == "grouper") return value.items().values[0];
    if (name == "list") return value.items().values[1];
  }
  if (const MethodFunction method = find_method(value, name)) {
    return bind_method(value, std::string(name), method);
  }
  if (changes_container(value, name)) {
    return Value::undefined("'" + std::string(value.type_name()) + "." + std::string(name) +
                            "' would change a value in place, which templates cannot; build a "
                            "new one with + or use a namespace");
  }
  return std::nullopt;
}

std::vector<Value> characters(Runtime& runtime, const String& string) {
  std::vector<Value> out;
  const std::string_view bytes = string.text.view();
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = unicode::decode(bytes, at).size;
    runtime.allocate(sizeof(Value) + sizeof(String));
    out.push_back(Value::string(string.text.slice(at, at + size)));
    at += size;
  }
  return out;
}

/// The indices Python's slice visits.
struct Indices {
  std::int64_t start, stop, step;

  std::size_t count() const {
    if (step > 0) return start < stop ? static_cast<std::size_t>((stop - start - 1) / step + 1) : 0;
    return start > stop ? static_cast<std::size_t>((start - stop - 1) / -step + 1) : 0;
  }
};

std::int64_t slice_part(Runtime& runtime, const Value& part, std::int64_t fallback) {
  if (part.is_none()) return fallback;
  if (part.is_undefined()) runtime.fail("{}", part.undefined_message());
  if (!part.is_integral()) runtime.fail("slice indices must be int, not {}", part.type_name());
  return part.as_int();
}

Indices slice_indices(Runtime& runtime, const Value& start, const Value& stop, const Value& step,
                      std::size_t length) {
  const auto size = static_cast<std::int64_t>(length);
  Indices indices;
  // A step past the length visits one item whatever its value, so clamping keeps sums in range.
  indices.step = std::clamp<std::int64_t>(slice_part(runtime, step, 1), -size - 1, size + 1);
  if (indices.step == 0) runtime.fail("slice step cannot be zero");
  const std::int64_t lowest = indices.step > 0 ? 0 : -1;
  const std::int64_t highest = indices.step > 0 ? size : size - 1;
  const auto bound = [&](const Value& part, std::int64_t fallback) {
    if (part.is_none()) return fallback;
    std::int64_t index = slice_part(runtime, part, 0);
    if (index < 0) index = index < -size ? -1 : index + size;
    return std::clamp(index, lowest, highest);
  };
  indices.start = bound(start, indices.step > 0 ? lowest : highest);
  indices.stop = bound(stop, indices.step > 0 ? highest : lowest);
  return indices;
}

Value slice_string(Runtime& runtime, const String& string, const Value& start, const Value& stop,
                   const Value& step) {
  const std::string_view bytes = string.text.view();
  runtime.work(bytes.size());
  const Indices indices =
      slice_indices(runtime, start, stop, step, character_count(runtime, string));
  const std::size_t count = indices.count();
  if (count == 0) return Value::string(Text(), string.markup);
  if (indices.step == 1) {
    const auto first = static_cast<std::size_t>(indices.start);
    const std::size_t begin = string.ascii ? first : unicode::offset(bytes, first);
    const std::size_t size = string.ascii ? count : unicode::offset(bytes.substr(begin), count);
    return make_string(runtime, string.text.slice(begin, begin + size), string.markup);
  }
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < bytes.size(); at += unicode::decode(bytes, at).size) {
    starts.push_back(at);
  }
  starts.push_back(bytes.size());
  Text out;
  std::int64_t index = indices.start;
  for (std::size_t i = 0; i < count; ++i, index += indices.step) {
    out.append(string.text, starts[index], starts[index + 1]);
  }
  return make_string(runtime, std::move(out), string.markup);
}

/// Knuth, Morris and Pratt's search: linear whatever the strings are.
std::size_t find_linear(std::string_view text, std::string_view needle, std::size_t from) {
  std::vector<std::size_t> border(needle.size() + 1, 0);
  for (std::size_t i = 1, matched = 0; i < needle.size(); ++i) {
    while (matched > 0 && needle[i] != needle[matched]) matched = border[matched];
    if (needle[i] == needle[matched]) ++matched;
    border[i + 1] = matched;
  }
  for (std::size_t i = from, matched = 0; i < text.size(); ++i) {
    while (matched > 0 && text[i] != needle[matched]) matched = border[matched];
    if (text[i] == needle[matched]) ++matched;
    if (matched == needle.size()) return i + 1 - matched;
  }
  return std::string_view::npos;
}

}  // namespace

Value make_string(Runtime& runtime, Text text, bool markup) {
  runtime.allocate(text.size() + sizeof(String));
  return Value::string(std::move(text), markup);
}

std::size_t find_bytes(Runtime& runtime, std::string_view text, std::string_view needle,
                       std::size_t from) {
  constexpr std::size_t kShortNeedle = 32;
  const std::size_t found =
      needle.size() <= kShortNeedle ? text.find(needle, from) : find_linear(text, needle, from);
  runtime.work(std::min(found, text.size()) - std::min(from, text.size()) + needle.size() + 1);
  return found;
}

std::size_t rfind_bytes(Runtime& runtime, std::string_view text, std::string_view needle) {
  runtime.work(text.size() + needle.size() + 1);
  constexpr std::size_t kShortNeedle = 32;
  if (needle.size() <= kShortNeedle) return text.rfind(needle);
  const std::string reversed_text(text.rbegin(), text.rend());
  const std::string reversed_needle(needle.rbegin(), needle.rend());
  const std::size_t found = find_linear(reversed_text, reversed_needle, 0);
  return found == std::string_view::npos ? found : text.size() - found - needle.size();
}

bool contains(Runtime& runtime, const Value& container, const Value& item_value) {
  runtime.step();
  if (container.is_string()) {
    if (!item_value.is_string()) {
      runtime.fail("'in' a str needs a str on its left, not {}", item_value.type_name());
    }
    return find_bytes(runtime, container.view(), item_value.view()) != std::string_view::npos;
  }
  if (container.is_dict()) return container.dict().find(runtime, item_value) != nullptr;
  const auto items = iterate(runtime, container);
  return std::any_of(items->values.begin(), items->values.end(), [&](const Value& candidate) {
    return equals(runtime, candidate, item_value);
  });
}

bool is_iterable(const Value& value) {
  return value.is_sequence() || value.is_string() || value.is_dict() || value.is_undefined() ||
         (value.is_object() && value.object()->iterable());
}

std::shared_ptr<const Items> iterate(Runtime& runtime, const Value& value) {
  runtime.step();
  if (value.is_sequence()) return value.items_ptr();
  std::vector<Value> out;
  if (value.is_string()) {
    out = characters(runtime, value.as_string());
  } else if (value.is_dict()) {
    runtime.allocate(value.dict().size() * sizeof(Value));
    for (const auto& [key, entry] : value.dict().entries()) out.push_back(key);
  } else if (value.is_object()) {
    if (auto items = value.object()->iterate(runtime)) return items;
    runtime.fail("'{}' object is not iterable", value.type_name());
  } else if (!value.is_undefined()) {
    runtime.fail("'{}' object is not iterable", value.type_name());
  }
  return Value::list(std::move(out)).items_ptr();
}

std::optional<std::int64_t> length(Runtime& runtime, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::undefined: return 0;
    case Value::Kind::string: return character_count(runtime, value.as_string());
    case Value::Kind::list:
    case Value::Kind::tuple: return value.items().values.size();
    case Value::Kind::dict: return value.dict().size();
    case Value::Kind::object: return value.object()->length();
    default: return std::nullopt;
  }
}

Value attribute(Runtime& runtime, const Value& value, std::string_view name) {
  runtime.step();
  if (value.is_undefined()) runtime.fail("{}", value.undefined_message());
  if (auto found = native_attribute(runtime, value, name)) return *found;
  if (value.is_dict()) {
    if (const Value* found = value.dict().find(name)) return *found;
  }
  return no_attribute(value, name);
}

Value subscript(Runtime& runtime, const Value& value, const Value& key) {
  runtime.step();
  if (value.is_undefined()) runtime.fail("{}", value.undefined_message());
  if (auto found = item(runtime, value, key)) return *found;
  if (!key.is_string()) return no_element(runtime, value, key);
  if (auto found = native_attribute(runtime, value, key.view())) return *found;
  return no_attribute(value, key.view());
}

Value attribute_path(Runtime& runtime, const Value& value, const Value& path,
                     const Value* fallback) {
  if (path.is_none()) return value;
  Value current = value;
  const auto take = [&](const Value& part) {
    current = subscript(runtime, current, part);
    if (fallback != nullptr && current.is_undefined()) current = *fallback;
  };
  if (!path.is_string()) {
    take(path);
    return current;
  }
  std::string_view rest = path.view();
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    const bool is_index =
        !part.empty() && part.size() < 10 &&
        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    take(is_index ? Value(std::int64_t{std::stoi(std::string(part))}) : Value::string(part));
    if (dot == std::string_view::npos) return current;
    rest.remove_prefix(dot + 1);
  }
}

Value slice(Runtime& runtime, const Value& value, const Value& start, const Value& stop,
            const Value& step) {
  if (value.is_undefined()) runtime.fail("{}", value.undefined_message());
  if (value.is_string()) return slice_string(runtime, value.as_string(), start, stop, step);
  const bool indexable = value.is_object() && value.object()->indexable();
  if (!value.is_sequence() && !indexable) {
    runtime.fail("'{}' object cannot be sliced", value.type_name());
  }
  const auto items = iterate(runtime, value);
  const Indices indices = slice_indices(runtime, start, stop, step, items->values.size());
  std::vector<Value> out;
  const std::size_t count = indices.count();
  runtime.allocate(count * sizeof(Value));
  std::int64_t index = indices.start;
  for (std::size_t i = 0; i < count; ++i, index += indices.step) {
    out.push_back(items->values[index]);
  }
  return value.is_tuple() ? Value::tuple(std::move(out)) : Value::list(std::move(out));
}

}  // namespace tessera::jinja

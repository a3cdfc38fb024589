#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/json.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

class Writer {
 public:
  Writer(Runtime& runtime, const JsonStyle& style) : runtime_(runtime), style_(style) {}

  Text take() { return Text(std::move(out_), from_user_); }

  void write(const Value& value) {
    runtime_.step();
    switch (value.kind()) {
      case Value::Kind::none: return add("null");
      case Value::Kind::boolean: return add(value.as_bool() ? "true" : "false");
      case Value::Kind::integer:
      case Value::Kind::big_integer:
      case Value::Kind::floating: return add(number(value));
      case Value::Kind::string: return write_string(value.text());
      case Value::Kind::list:
      case Value::Kind::tuple: return write_list(value.items());
      case Value::Kind::dict: return write_dict(value.dict());
      case Value::Kind::undefined:
      case Value::Kind::object: break;
    }
    runtime_.fail("a value of type {} is not JSON serializable", value.type_name());
  }

 private:
  void add(std::string_view text) {
    runtime_.allocate(text.size());
    out_ += text;
  }

  void add(const Text& text) {
    from_user_ = from_user_ || text.has_user();
    add(text.view());
  }

  static std::string number(const Value& value) {
    if (value.kind() == Value::Kind::integer) return std::to_string(value.as_int());
    if (value.kind() == Value::Kind::big_integer) return value.digits();
    const double number = value.as_double();
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
    return float_repr(number);
  }

  void write_string(const Text& text) {
    from_user_ = from_user_ || text.has_user();
    std::string escaped = "\"";
    for (std::size_t at = 0; at < text.size();) {
      const unicode::Character character = unicode::decode(text.view(), at);
      escape(text.view().substr(at, character.size), character.code, escaped);
      at += character.size;
    }
    escaped += '"';
    add(escaped);
  }

  void escape(std::string_view bytes, char32_t code, std::string& out) const {
    switch (code) {
      case '"': out += "\\\""; return;
      case '\\': out += "\\\\"; return;
      case '\n': out += "\\n"; return;
      case '\r': out += "\\r"; return;
      case '\t': out += "\\t"; return;
      case '\f': out += "\\f"; return;
      case '\b': out += "\\b"; return;
      default: break;
    }
    if (code < 0x20 || (style_.ensure_ascii && code > 0x7E && code < 0x10000)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else if (style_.ensure_ascii && code >= 0x10000 && code != unicode::kInvalid) {
      const unsigned offset = static_cast<unsigned>(code) - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
    } else {
      out += bytes;
    }
  }

  void new_line() {
    if (!style_.indented) return;
    add("\n");
    for (int i = 0; i < level_; ++i) add(style_.indent);
  }

  void write_list(const Items& items) {
    if (items.values.empty()) return add("[]");
    add("[");
    ++level_;
    for (std::size_t i = 0; i < items.values.size(); ++i) {
      if (i > 0) add(style_.item_separator);
      new_line();
      write(items.values[i]);
    }
    --level_;
    new_line();
    add("]");
  }

  void write_dict(const Dict& dict) {
    if (dict.size() == 0) return add("{}");
    std::vector<const Dict::Entry*> entries;
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [this](const Dict::Entry* a, const Dict::Entry* b) {
                         return less(runtime_, a->first, b->first);
                       });
    }
    add("{");
    ++level_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) add(style_.item_separator);
      new_line();
      write_key(entries[i]->first);
      add(style_.key_separator);
      write(entries[i]->second);
    }
    --level_;
    new_line();
    add("}");
  }

  void write_key(const Value& key) {
    if (key.is_string()) return write_string(key.text());
    if (key.is_none()) return add("\"null\"");
    if (key.is_boolean()) return add(key.as_bool() ? "\"true\"" : "\"false\"");
    if (key.is_number() || key.kind() == Value::Kind::big_integer) {
      return add("\"" + number(key) + "\"");
    }
    runtime_.fail("JSON keys must be str, int, float, bool or None, not {}", key.type_name());
  }

  Runtime& runtime_;
  const JsonStyle& style_;
  std::string out_;
  bool from_user_ = false;
  int level_ = 0;
};

}  // namespace

Text write_json(Runtime& runtime, const Value& value, const JsonStyle& style) {
  Writer writer(runtime, style);
  writer.write(value);
  return writer.take();
}

}  // namespace tessera::jinja

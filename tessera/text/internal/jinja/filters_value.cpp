// Filters over single values: numbers, defaults, attributes and JSON.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/filters.h"
#include "tessera/text/internal/jinja/format.h"
#include "tessera/text/internal/jinja/json.h"
#include "tessera/text/internal/jinja/number_text.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/text_ops.h"

namespace tessera::jinja {
namespace {

Value abs_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  Bound(runtime, "abs", arguments, {});
  if (input.is_float()) return Value(std::fabs(input.as_double()));
  if (!input.is_integral()) runtime.fail("abs needs a number, not {}", input.type_name());
  return input.as_int() < 0 ? negate(runtime, input) : Value(input.as_int());
}

Value attr_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "attr", arguments, {"name"}, 1);
  const std::string_view name = bound.text(0).view();
  // Unlike a dot, it does not fall back to the items of a dict.
  if (input.is_dict()) {
    const Value empty(std::make_shared<const Dict>());
    if (attribute(runtime, empty, name).is_undefined()) {
      return Value::undefined("'dict object' has no attribute " + quoted(name));
    }
  }
  return attribute(runtime, input, name);
}

Value default_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "default", arguments, {"default_value", "boolean"});
  const bool missing = input.is_undefined() || (bound.flag(1, false) && !truthy(input));
  return missing ? bound.get(0, Value::string("")) : input;
}

std::optional<Value> truncate_to_int(double value) {
  if (!(std::fabs(value) < 0x1p63)) return std::nullopt;
  return Value(static_cast<std::int64_t>(value));
}

Value int_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "int", arguments, {"default", "base"});
  const Value fallback = bound.get(0, Value(std::int64_t{0}));
  if (input.is_undefined()) runtime.fail("{}", input.undefined_message());
  if (input.is_integral()) return Value(input.as_int());
  if (input.kind() == Value::Kind::big_integer) return input;
  if (input.is_float()) return truncate_to_int(input.as_double()).value_or(fallback);
  if (!input.is_string()) return fallback;
  runtime.work(input.text().size());
  if (const auto value = parse_integer(input.view(), bound.integer(1, 10))) return Value(*value);
  const auto as_float = parse_float(input.view());
  return as_float ? truncate_to_int(*as_float).value_or(fallback) : fallback;
}

Value float_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "float", arguments, {"default"});
  const Value fallback = bound.get(0, Value(0.0));
  if (input.is_undefined()) runtime.fail("{}", input.undefined_message());
  if (input.is_number()) return Value(input.as_double());
  if (input.kind() == Value::Kind::big_integer) {
    const auto value = parse_float(input.digits());
    return value ? Value(*value) : fallback;
  }
  if (!input.is_string()) return fallback;
  runtime.work(input.text().size());
  const auto value = parse_float(input.view());
  return value ? Value(*value) : fallback;
}

Value round_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "round", arguments, {"precision", "method"});
  const std::string_view method = bound.has(1) ? bound.text(1).view() : "common";
  if (method != "common" && method != "ceil" && method != "floor") {
    runtime.fail("round: method must be common, ceil or floor");
  }
  if (!input.is_number()) runtime.fail("round needs a number, not {}", input.type_name());
  const auto precision = static_cast<int>(std::clamp<std::int64_t>(bound.integer(0, 0), -400, 400));
  if (method == "common") {
    if (input.is_integral() && precision >= 0) return Value(input.as_int());
    const double rounded = round_half_even(input.as_double(), precision);
    if (!input.is_integral()) return Value(rounded);
    return truncate_to_int(rounded).value_or(input);
  }
  const double scale = std::pow(10.0, precision);
  const double scaled = input.as_double() * scale;
  return Value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Value filesizeformat_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "filesizeformat", arguments, {"binary"});
  const Value as_float = float_filter(runtime, input, {});
  const double bytes = as_float.as_double();
  const bool binary = bound.flag(0, false);
  const double base = binary ? 1024 : 1000;
  if (bytes == 1) return Value::string("1 Byte");
  if (bytes < base) {
    return Value::string(fmt::format("{} Bytes", static_cast<std::int64_t>(bytes)));
  }
  static constexpr std::string_view kPrefixes = "kMGTPEZY";
  double unit = base;
  std::size_t i = 0;
  while (i + 1 < kPrefixes.size() && bytes >= unit * base) {
    unit *= base;
    ++i;
  }
  const char prefix = binary && kPrefixes[i] == 'k' ? 'K' : kPrefixes[i];
  return Value::string(fmt::format("{:.1f} {}{}B", bytes / unit, prefix, binary ? "i" : ""));
}

Value tojson_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const Bound bound(runtime, "tojson", arguments,
                    {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = bound.flag(0, false);
  style.sort_keys = bound.flag(3, false);
  if (bound.has_value(1)) {
    style.indented = true;
    style.item_separator = Text(",");
    style.indent = bound[1].is_string()
                       ? bound[1].text()
                       : pad(runtime, Text(), bound.integer(1, 0), Align::left, Text(" "));
  }
  if (bound.has_value(2)) {
    const auto parts = iterate(runtime, bound[2]);
    if (parts->values.size() != 2 || !parts->values[0].is_string() ||
        !parts->values[1].is_string()) {
      runtime.fail("tojson: separators must be two strings");
    }
    style.item_separator = parts->values[0].text();
    style.key_separator = parts->values[1].text();
  }
  return Value::string(write_json(runtime, input, style));
}

}  // namespace

FilterFunction find_value_filter(std::string_view name) {
  static const std::unordered_map<std::string_view, FilterFunction> kFilters = {
      {"abs", abs_filter},
      {"attr", attr_filter},
      {"d", default_filter},
      {"default", default_filter},
      {"filesizeformat", filesizeformat_filter},
      {"float", float_filter},
      {"int", int_filter},
      {"round", round_filter},
      {"tojson", tojson_filter},
  };
  const auto found = kFilters.find(name);
  return found == kFilters.end() ? nullptr : found->second;
}

}  // namespace tessera::jinja

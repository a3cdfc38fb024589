#include "tessera/text/internal/jinja/compare.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {
namespace {

/// Exact: converting a 64-bit integer to double would round it.
std::partial_ordering compare_integer(std::int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto ordering = a <=> static_cast<std::int64_t>(whole);
  if (ordering != 0) return ordering;
  return b > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  if (a.is_integral() && b.is_integral()) return a.as_int() <=> b.as_int();
  if (a.is_integral()) return compare_integer(a.as_int(), b.as_double());
  if (b.is_integral()) return 0 <=> compare_integer(b.as_int(), a.as_double());
  return a.as_double() <=> b.as_double();
}

bool equal_dicts(Runtime& runtime, const Dict& a, const Dict& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.find(runtime, key);
    if (other == nullptr || !equals(runtime, value, *other)) return false;
  }
  return true;
}

std::partial_ordering order(Runtime& runtime, const Value& a, const Value& b, const char* sign) {
  runtime.step();
  if (a.is_undefined()) runtime.fail("{}", a.undefined_message());
  if (b.is_undefined()) runtime.fail("{}", b.undefined_message());
  if (a.is_number() && b.is_number()) return compare_numbers(a, b);
  if (a.is_string() && b.is_string()) {
    runtime.work(std::min(a.view().size(), b.view().size()));
    return a.view() <=> b.view();
  }
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) {
    const auto& left = a.items().values;
    const auto& right = b.items().values;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      if (!equals(runtime, left[i], right[i])) return order(runtime, left[i], right[i], sign);
    }
    return left.size() <=> right.size();
  }
  runtime.fail("'{}' not supported between '{}' and '{}'", sign, a.type_name(), b.type_name());
}

}  // namespace

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::undefined:
    case Value::Kind::none: return false;
    case Value::Kind::boolean: return value.as_bool();
    case Value::Kind::integer: return value.as_int() != 0;
    case Value::Kind::big_integer: return true;
    case Value::Kind::floating: return value.as_double() != 0;
    case Value::Kind::string: return !value.text().empty();
    case Value::Kind::list:
    case Value::Kind::tuple: return !value.items().values.empty();
    case Value::Kind::dict: return value.dict().size() != 0;
    case Value::Kind::object: return value.object()->length().value_or(1) != 0;
  }
  return false;
}

bool equals(Runtime& runtime, const Value& a, const Value& b) {
  runtime.step();
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::undefined:
    case Value::Kind::none: return true;
    case Value::Kind::big_integer: return a.digits() == b.digits();
    case Value::Kind::string:
      if (a.view().size() != b.view().size()) return false;
      runtime.work(a.view().size());
      return a.view() == b.view();
    case Value::Kind::list:
    case Value::Kind::tuple: {
      const auto& left = a.items().values;
      const auto& right = b.items().values;
      return std::equal(
          left.begin(), left.end(), right.begin(), right.end(),
          [&runtime](const Value& x, const Value& y) { return equals(runtime, x, y); });
    }
    case Value::Kind::dict: return equal_dicts(runtime, a.dict(), b.dict());
    case Value::Kind::object: return a.object() == b.object();
    default: return false;
  }
}

bool less(Runtime& runtime, const Value& a, const Value& b) {
  return order(runtime, a, b, "<") < 0;
}

bool less_equal(Runtime& runtime, const Value& a, const Value& b) {
  return order(runtime, a, b, "<=") <= 0;
}

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

std::size_t hash_of(Runtime& runtime, const Value& value) {
  runtime.step();
  switch (value.kind()) {
    case Value::Kind::undefined: return 1;
    case Value::Kind::none: return 2;
    case Value::Kind::boolean:
    case Value::Kind::integer: return std::hash<double>{}(value.as_double());
    case Value::Kind::floating: return std::hash<double>{}(value.as_double());
    case Value::Kind::big_integer: return hash_of(value.digits());
    case Value::Kind::string: runtime.work(value.view().size()); return hash_of(value.view());
    case Value::Kind::tuple: {
      std::size_t hash = 0x9E3779B97F4A7C15;
      for (const Value& item : value.items().values) {
        hash = (hash ^ hash_of(runtime, item)) * 0x100000001B3;
      }
      return hash;
    }
    case Value::Kind::object: return std::hash<const void*>{}(value.object().get());
    case Value::Kind::list:
    case Value::Kind::dict: break;
  }
  runtime.fail("unhashable type: '{}'", value.type_name());
}

}  // namespace tessera::jinja

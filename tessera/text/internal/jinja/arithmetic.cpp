#include <cmath>
#include <limits>

#include "tessera/text/internal/jinja/format.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {
namespace {

constexpr std::string_view sign_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return "+";
    case BinaryOp::subtract: return "-";
    case BinaryOp::multiply: return "*";
    case BinaryOp::divide: return "/";
    case BinaryOp::floor_divide: return "//";
    case BinaryOp::modulo: return "%";
    case BinaryOp::power: return "**";
  }
  return "?";
}

double float_modulo(double a, double b) {
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b;
  return remainder == 0 ? std::copysign(0.0, b) : remainder;
}

Value float_binary(Runtime& runtime, BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::add: return Value(a + b);
    case BinaryOp::subtract: return Value(a - b);
    case BinaryOp::multiply: return Value(a * b);
    case BinaryOp::power:
      if (a == 0 && b < 0) runtime.fail("0.0 cannot be raised to a negative power");
      if (a < 0 && b != std::floor(b)) runtime.fail("a root of a negative number is complex");
      return Value(std::pow(a, b));
    default: break;
  }
  if (b == 0) runtime.fail("division by zero");
  if (op == BinaryOp::divide) return Value(a / b);
  const double remainder = float_modulo(a, b);
  if (op == BinaryOp::modulo) return Value(remainder);
  return Value(std::floor((a - remainder) / b + 0.5));
}

Value integer_power(Runtime& runtime, std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    return float_binary(runtime, BinaryOp::power, double(base), double(exponent));
  }
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) {
      runtime.fail("an integer power beyond 64 bits");
    }
    exponent >>= 1;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
      runtime.fail("an integer power beyond 64 bits");
    }
  }
  return Value(result);
}

Value integer_binary(Runtime& runtime, BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case BinaryOp::add: overflow = __builtin_add_overflow(a, b, &result); break;
    case BinaryOp::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
    case BinaryOp::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
    case BinaryOp::power: return integer_power(runtime, a, b);
    case BinaryOp::divide:
      if (b == 0) runtime.fail("division by zero");
      return Value(double(a) / double(b));
    case BinaryOp::floor_divide:
    case BinaryOp::modulo: {
      if (b == 0) runtime.fail("division by zero");
      // The one quotient that does not fit; its remainder is 0.
      if (b == -1) {
        if (op == BinaryOp::modulo) return Value(std::int64_t{0});
        overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
        break;
      }
      const std::int64_t remainder = a % b;
      const bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
      result = op == BinaryOp::modulo ? remainder + (adjust ? b : 0) : a / b - (adjust ? 1 : 0);
      break;
    }
  }
  if (overflow) runtime.fail("an integer beyond 64 bits: {} {} {}", a, sign_of(op), b);
  return Value(result);
}

Value concatenate_strings(Runtime& runtime, const String& a, const String& b) {
  const bool markup = a.markup || b.markup;
  Text text;
  runtime.allocate(a.text.size() + b.text.size());
  text.reserve(a.text.size() + b.text.size());
  text.append(markup && !a.markup ? escape_html(runtime, a.text) : a.text);
  text.append(markup && !b.markup ? escape_html(runtime, b.text) : b.text);
  return Value::string(std::move(text), markup);
}

Value concatenate_items(Runtime& runtime, const Value& a, const Value& b) {
  std::vector<Value> values = a.items().values;
  values.insert(values.end(), b.items().values.begin(), b.items().values.end());
  runtime.allocate(values.size() * sizeof(Value));
  return a.is_list() ? Value::list(std::move(values)) : Value::tuple(std::move(values));
}

Value repeat(Runtime& runtime, const Value& value, std::int64_t times) {
  if (times < 0) times = 0;
  const auto total = [&](std::size_t unit) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(unit, static_cast<std::size_t>(times), &bytes)) {
      bytes = std::numeric_limits<std::int64_t>::max() / 4;
    }
    runtime.allocate(std::min<std::size_t>(bytes, std::numeric_limits<std::int64_t>::max() / 4));
  };
  if (value.is_string()) {
    const Text& text = value.text();
    total(text.size());
    Text out;
    if (text.empty()) times = 0;
    for (std::int64_t i = 0; i < times; ++i) out.append(text);
    return Value::string(std::move(out), value.as_string().markup);
  }
  const auto& items = value.items().values;
  total(items.size() * sizeof(Value));
  std::vector<Value> out;
  if (items.empty()) times = 0;
  for (std::int64_t i = 0; i < times; ++i) out.insert(out.end(), items.begin(), items.end());
  return value.is_list() ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

}  // namespace

Value binary(Runtime& runtime, BinaryOp op, const Value& left, const Value& right) {
  if (left.is_undefined()) runtime.fail("{}", left.undefined_message());
  // "%s" % undefined formats it as the empty string.
  const bool formats = op == BinaryOp::modulo && left.is_string();
  if (right.is_undefined() && !formats) runtime.fail("{}", right.undefined_message());
  if (left.is_integral() && right.is_integral()) {
    return integer_binary(runtime, op, left.as_int(), right.as_int());
  }
  if (left.is_number() && right.is_number()) {
    return float_binary(runtime, op, left.as_double(), right.as_double());
  }
  if (formats) return percent_format(runtime, left.as_string(), right);
  if (op == BinaryOp::add) {
    if (left.is_string() && right.is_string()) {
      return concatenate_strings(runtime, left.as_string(), right.as_string());
    }
    if ((left.is_list() && right.is_list()) || (left.is_tuple() && right.is_tuple())) {
      return concatenate_items(runtime, left, right);
    }
  }
  if (op == BinaryOp::multiply) {
    const auto repeats = [](const Value& a, const Value& b) {
      return (a.is_string() || a.is_sequence()) && b.is_integral();
    };
    if (repeats(left, right)) return repeat(runtime, left, right.as_int());
    if (repeats(right, left)) return repeat(runtime, right, left.as_int());
  }
  runtime.fail("'{}' is not defined for {} and {}", sign_of(op), left.type_name(),
               right.type_name());
}

Value negate(Runtime& runtime, const Value& value) {
  if (value.is_undefined()) runtime.fail("{}", value.undefined_message());
  if (value.is_float()) return Value(-value.as_double());
  if (value.is_integral()) return integer_binary(runtime, BinaryOp::subtract, 0, value.as_int());
  if (value.kind() == Value::Kind::big_integer) {
    const std::string& digits = value.digits();
    return Value::big_integer(digits.starts_with('-') ? digits.substr(1) : "-" + digits);
  }
  runtime.fail("unary '-' is not defined for {}", value.type_name());
}

Value plus(Runtime& runtime, const Value& value) {
  if (value.is_undefined()) runtime.fail("{}", value.undefined_message());
  if (value.is_boolean()) return Value(value.as_int());
  if (value.is_number() || value.kind() == Value::Kind::big_integer) return value;
  runtime.fail("unary '+' is not defined for {}", value.type_name());
}

}  // namespace tessera::jinja

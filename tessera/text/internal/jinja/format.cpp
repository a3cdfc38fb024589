#include "tessera/text/internal/jinja/format.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/number_format.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/text_ops.h"

namespace tessera::jinja {
namespace {

/// Reads one %-format and the values it consumes.
class PercentFormatter {
 public:
  PercentFormatter(Runtime& runtime, const String& format, const Value& values)
      : runtime_(runtime), format_(format.text), values_(values) {}

  Text run() {
    const std::string_view bytes = format_.view();
    while (at_ < bytes.size()) {
      const std::size_t percent = std::min(bytes.find('%', at_), bytes.size());
      out_.append(format_, at_, percent);
      runtime_.allocate(percent - at_ + 1);
      at_ = percent;
      if (at_ < bytes.size()) conversion();
    }
    const bool consumed = values_.is_tuple() ? next_ == values_.items().values.size()
                                             : next_ == 1 || named_ || values_.is_dict();
    if (!consumed) runtime_.fail("not all values were used by the % format");
    return std::move(out_);
  }

 private:
  char peek() const { return at_ < format_.size() ? format_.bytes()[at_] : '\0'; }

  const Value& next_value() {
    if (values_.is_tuple()) {
      const auto& items = values_.items().values;
      if (next_ >= items.size()) runtime_.fail("not enough values for the % format");
      return items[next_++];
    }
    if (next_++ > 0) runtime_.fail("not enough values for the % format");
    return values_;
  }

  std::int64_t count() {
    if (peek() == '*') {
      ++at_;
      const Value& value = next_value();
      if (!value.is_integral()) runtime_.fail("* in a % format needs an int");
      return value.as_int();
    }
    std::int64_t value = 0;
    while (peek() >= '0' && peek() <= '9') {
      value = value * 10 + (peek() - '0');
      ++at_;
      if (value > kMaxFormatSize) runtime_.fail("a format width above {}", kMaxFormatSize);
    }
    return value;
  }

  const Value* named_value() {
    const std::size_t close = format_.view().find(')', at_);
    if (close == std::string_view::npos) runtime_.fail("an unclosed %( in a format");
    const std::string_view key = format_.view().substr(at_ + 1, close - at_ - 1);
    if (!values_.is_dict()) runtime_.fail("%({}) needs a dict of values", key);
    const Value* value = values_.dict().find(key);
    if (value == nullptr) runtime_.fail("no value for %({}) in the format", key);
    at_ = close + 1;
    named_ = true;
    return value;
  }

  void conversion() {
    ++at_;
    const Value* value = peek() == '(' ? named_value() : nullptr;
    FormatSpec spec;
    bool zero = false;
    bool left = false;
    for (; peek() != '\0' && std::strchr("#0- +", peek()) != nullptr; ++at_) {
      const char flag = peek();
      if (flag == '#') spec.alternate = true;
      if (flag == '0') zero = true;
      if (flag == '-') left = true;
      if (flag == '+' || (flag == ' ' && spec.sign != '+')) spec.sign = flag;
    }
    spec.width = count();
    if (spec.width < 0) {
      left = true;
      spec.width = -spec.width;
    }
    if (spec.width > kMaxFormatSize) runtime_.fail("a format width above {}", kMaxFormatSize);
    if (peek() == '.') {
      ++at_;
      spec.precision = std::clamp<std::int64_t>(count(), 0, kMaxFormatSize);
    }
    while (peek() != '\0' && std::strchr("hlL", peek()) != nullptr) ++at_;
    const char type = peek();
    if (type == '\0') runtime_.fail("an unfinished % conversion in a format");
    ++at_;
    if (type == '%') return out_.append("%");
    spec.align = left ? '<' : '>';
    write(type, value != nullptr ? *value : next_value(), spec, zero && !left);
  }

  void write(char type, const Value& value, FormatSpec spec, bool zero) {
    switch (type) {
      case 's':
      case 'r':
      case 'a': {
        const Text text = type == 's' ? to_text(runtime_, value) : repr(runtime_, value);
        out_.append(format_value(runtime_, Value::string(text), spec));
        return;
      }
      case 'c':
        if (value.is_string()) return out_.append(format_value(runtime_, value, spec));
        break;
      case 'd':
      case 'i':
      case 'u':
        if (value.is_float()) return write_truncated(value.as_double(), spec, zero);
        spec.type = 'd';
        return write_number(value, spec, zero);
      default: break;
    }
    if (std::strchr("cxXofFeEgG", type) == nullptr) {
      runtime_.fail("'%{}' is no conversion of the % format", type);
    }
    spec.type = type;
    write_number(value, spec, zero);
  }

  void write_truncated(double value, FormatSpec spec, bool zero) {
    if (!(std::fabs(value) < 9.2e18)) runtime_.fail("%d of a float beyond 64 bits");
    spec.type = 'd';
    write_number(Value(static_cast<std::int64_t>(value)), spec, zero);
  }

  void write_number(const Value& value, FormatSpec spec, bool zero) {
    if (!value.is_number()) {
      runtime_.fail("%{} needs a number, not {}", spec.type, value.type_name());
    }
    if (zero) {
      spec.fill = "0";
      spec.align = '=';
    }
    out_.append(format_value(runtime_, value, spec));
  }

  Runtime& runtime_;
  const Text& format_;
  const Value& values_;
  Text out_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;
  bool named_ = false;
};

/// Reads one format string of str.format.
class BraceFormatter {
 public:
  BraceFormatter(Runtime& runtime, const String& format, const Arguments& arguments)
      : runtime_(runtime), format_(format.text), arguments_(arguments) {}

  Text run() {
    const std::string_view bytes = format_.view();
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t brace = std::min(bytes.find_first_of("{}", at), bytes.size());
      runtime_.allocate(brace - at + 1);
      out_.append(format_, at, brace);
      if (brace == bytes.size()) break;
      if (brace + 1 < bytes.size() && bytes[brace + 1] == bytes[brace]) {
        out_.append(format_, brace, brace + 1);
        at = brace + 2;
        continue;
      }
      const std::size_t close = bytes.find('}', brace);
      if (bytes[brace] == '}' || close == std::string_view::npos) {
        runtime_.fail("a single '{}' in a format string", bytes[brace]);
      }
      field(bytes.substr(brace + 1, close - brace - 1));
      at = close + 1;
    }
    return std::move(out_);
  }

 private:
  void field(std::string_view field) {
    std::string_view spec;
    if (const auto colon = field.find(':'); colon != std::string_view::npos) {
      spec = field.substr(colon + 1);
      field = field.substr(0, colon);
    }
    char conversion = 0;
    if (field.size() >= 2 && field[field.size() - 2] == '!') {
      conversion = field.back();
      field.remove_suffix(2);
    }
    Value value = resolve(field);
    if (conversion == 's') value = Value::string(to_text(runtime_, value));
    if (conversion == 'r') value = Value::string(repr(runtime_, value));
    out_.append(format_value(runtime_, value, parse_format_spec(runtime_, spec)));
  }

  Value resolve(std::string_view path) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    Value value = argument(path.substr(0, end));
    path.remove_prefix(end);
    while (!path.empty()) {
      const bool is_attribute = path.front() == '.';
      path.remove_prefix(1);
      const std::size_t stop =
          std::min(is_attribute ? path.find_first_of(".[") : path.find(']'), path.size());
      const std::string_view key = path.substr(0, stop);
      if (is_attribute) {
        value = attribute(runtime_, value, key);
        path.remove_prefix(stop);
      } else {
        value = subscript(runtime_, value, key_value(key));
        path.remove_prefix(std::min(stop + 1, path.size()));
      }
    }
    return value;
  }

  static bool parse_index(std::string_view text, std::int64_t& index) {
    const char* end = text.data() + text.size();
    return !text.empty() && std::from_chars(text.data(), end, index).ptr == end;
  }

  static Value key_value(std::string_view key) {
    std::int64_t index = 0;
    return parse_index(key, index) ? Value(index) : Value::string(key);
  }

  Value argument(std::string_view name) {
    std::int64_t index = 0;
    if (name.empty()) {
      index = next_++;
    } else if (!parse_index(name, index)) {
      const Value* value = arguments_.find(name);
      if (value == nullptr) runtime_.fail("format: no value for {{{}}}", name);
      return *value;
    }
    if (index < 0 || index >= static_cast<std::int64_t>(arguments_.positional.size())) {
      runtime_.fail("format: no value number {}", index);
    }
    return arguments_.positional[static_cast<std::size_t>(index)];
  }

  Runtime& runtime_;
  const Text& format_;
  const Arguments& arguments_;
  Text out_;
  std::int64_t next_ = 0;
};

}  // namespace

Value percent_format(Runtime& runtime, const String& format, const Value& values) {
  return Value::string(PercentFormatter(runtime, format, values).run(), format.markup);
}

Value brace_format(Runtime& runtime, const String& format, const Arguments& arguments) {
  return Value::string(BraceFormatter(runtime, format, arguments).run(), format.markup);
}

double round_half_even(double value, int precision) {
  if (!std::isfinite(value) || precision > 300) return value;
  if (precision >= 0) {
    // Printing with so many digits rounds the exact value, half to even.
    const std::string digits = fmt::format("{:.{}f}", value, precision);
    double rounded = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
    return rounded;
  }
  if (precision < -310) return std::copysign(0.0, value);
  const double scale = std::pow(10.0, -precision);
  const double scaled = value / scale;
  double rounded = std::round(scaled);
  if (std::fabs(scaled - rounded) == 0.5) rounded = 2.0 * std::round(scaled / 2.0);
  return rounded * scale;
}

}  // namespace tessera::jinja

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/jinja/json.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {
namespace {

/// Builds values from parser events, so that neither depth nor a huge number is lost in between.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(Runtime& runtime, const char* where) : runtime_(runtime), where_(where) {}

  Value take() { return std::move(root_); }

  bool null() override { return add(Value()); }
  bool boolean(bool value) override { return add(Value(value)); }
  bool number_integer(number_integer_t value) override { return add(Value(std::int64_t{value})); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) {
      return add(Value::big_integer(std::to_string(value)));
    }
    return add(Value(static_cast<std::int64_t>(value)));
  }
  bool number_float(number_float_t value, const string_t& digits) override {
    if (digits.find_first_of(".eE") == string_t::npos) return add(Value::big_integer(digits));
    return add(Value(value));
  }
  bool string(string_t& value) override { return add(user_string(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(true); }
  bool key(string_t& value) override {
    open_.back().key = user_string(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string_view reason = error.what();
    if (const auto bracket = reason.find("] "); bracket != std::string_view::npos) {
      reason.remove_prefix(bracket + 2);
    }
    tessera::fail(ErrorCode::bad_format, where_, "not JSON at byte {}: {}", position, reason);
  }

 private:
  struct Open {
    bool is_object;
    Dict dict;
    std::vector<Value> list;
    Value key;
  };

  Value user_string(string_t& value) {
    runtime_.allocate(value.size() + sizeof(String));
    return Value::string(Text(std::move(value), /*from_user=*/true));
  }

  bool open(bool is_object) {
    if (open_.size() >= static_cast<std::size_t>(kMaxValueDepth)) {
      tessera::fail(ErrorCode::bad_format, where_, "nested deeper than {} levels", kMaxValueDepth);
    }
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }

  bool close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.is_object) return add(Value(std::make_shared<const Dict>(std::move(closed.dict))));
    return add(Value::list(std::move(closed.list)));
  }

  bool add(Value value) {
    runtime_.allocate(sizeof(Value));
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().dict.set(runtime_, std::move(open_.back().key), std::move(value));
    } else {
      open_.back().list.push_back(std::move(value));
    }
    return true;
  }

  Runtime& runtime_;
  const char* where_;
  std::vector<Open> open_;
  Value root_;
};

}  // namespace

Value read_json(Runtime& runtime, std::string_view json, const char* where) {
  Builder builder(runtime, where);
  nlohmann::json::sax_parse(json.begin(), json.end(), &builder);
  return builder.take();
}

}  // namespace tessera::jinja

// Arguments of a call, and their binding to parameter names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/text/internal/jinja/value.h"

namespace tessera::jinja {

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  const Value* find(std::string_view name) const;
};

/// A built-in function's arguments by parameter:
///
///   Bound bound(runtime, "indent", arguments, {"width", "first", "blank"});
///   if (bound.flag(1, false)) ...
class Bound {
 public:
  /// required   how many of the parameters must be given
  /// errors     bad_format for too many, an unknown or a missing one
  Bound(Runtime& runtime, std::string_view function, const Arguments& arguments,
        std::initializer_list<std::string_view> parameters, std::size_t required = 0);

  bool has(std::size_t i) const { return values_[i] != nullptr; }
  /// Given and not None.
  bool has_value(std::size_t i) const { return has(i) && !values_[i]->is_none(); }
  const Value& operator[](std::size_t i) const { return *values_[i]; }
  Value get(std::size_t i, Value fallback) const { return has(i) ? *values_[i] : fallback; }
  bool flag(std::size_t i, bool fallback) const;
  /// errors  bad_format when it is no int
  std::int64_t integer(std::size_t i, std::int64_t fallback) const;
  /// errors  bad_format when it is no str
  const Text& text(std::size_t i) const;

 private:
  Runtime& runtime_;
  std::string_view function_;
  std::vector<std::string_view> parameters_;
  std::vector<const Value*> values_;
};

}  // namespace tessera::jinja

#include "tessera/text/internal/jinja/arguments.h"

#include <algorithm>

#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {

const Value* Arguments::find(std::string_view name) const {
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  return nullptr;
}

Bound::Bound(Runtime& runtime, std::string_view function, const Arguments& arguments,
             std::initializer_list<std::string_view> parameters, std::size_t required)
    : runtime_(runtime), function_(function), parameters_(parameters) {
  values_.resize(parameters_.size());
  if (arguments.positional.size() > values_.size()) {
    runtime.fail("{} takes at most {} arguments, got {}", function, values_.size(),
                 arguments.positional.size());
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    values_[i] = &arguments.positional[i];
  }
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::find(parameters_.begin(), parameters_.end(), name);
    if (found == parameters_.end()) runtime.fail("{} has no argument '{}'", function, name);
    const Value*& slot = values_[static_cast<std::size_t>(found - parameters_.begin())];
    if (slot != nullptr) runtime.fail("{} got two values for '{}'", function, name);
    slot = &value;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (values_[i] == nullptr) runtime.fail("{} needs the argument '{}'", function, parameters_[i]);
  }
}

bool Bound::flag(std::size_t i, bool fallback) const {
  return has(i) ? truthy(*values_[i]) : fallback;
}

std::int64_t Bound::integer(std::size_t i, std::int64_t fallback) const {
  if (!has(i)) return fallback;
  if (!values_[i]->is_integral()) {
    runtime_.fail("{}: '{}' must be an int, not {}", function_, parameters_[i],
                  values_[i]->type_name());
  }
  return values_[i]->as_int();
}

const Text& Bound::text(std::size_t i) const {
  if (!values_[i]->is_string()) {
    runtime_.fail("{}: '{}' must be a str, not {}", function_, parameters_[i],
                  values_[i]->type_name());
  }
  return values_[i]->text();
}

}  // namespace tessera::jinja

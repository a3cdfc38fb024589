#include "tessera/text/internal/jinja/object.h"

#include <utility>

#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {
namespace {

std::shared_ptr<const Items> share(std::vector<Value> values) {
  return Value::list(std::move(values)).items_ptr();
}

}  // namespace

Value Object::call(Runtime& runtime, const Arguments&) {
  runtime.fail("'{}' object is not callable", type_name());
}

Iterator::Iterator(std::vector<Value> values) : items_(share(std::move(values))) {}

std::shared_ptr<const Items> Iterator::iterate(Runtime& runtime) {
  const std::size_t from = std::exchange(at_, items_->values.size());
  if (from == 0) return items_;
  std::vector<Value> rest(items_->values.begin() + static_cast<std::ptrdiff_t>(from),
                          items_->values.end());
  runtime.allocate(rest.size() * sizeof(Value));
  return share(std::move(rest));
}

std::optional<Value> Iterator::next() {
  if (at_ == items_->values.size()) return std::nullopt;
  return items_->values[at_++];
}

Range::Range(std::int64_t start, std::int64_t stop, std::int64_t step, std::vector<Value> values)
    : start_(start), stop_(stop), step_(step), items_(share(std::move(values))) {}

Text Range::repr(Runtime&, int) const {
  if (step_ == 1) return Text(fmt::format("range({}, {})", start_, stop_));
  return Text(fmt::format("range({}, {}, {})", start_, stop_, step_));
}

DictView::DictView(Part part, std::vector<Value> values)
    : part_(part), items_(share(std::move(values))) {}

std::string_view DictView::type_name() const {
  switch (part_) {
    case Part::keys: return "dict_keys";
    case Part::values: return "dict_values";
    case Part::items: return "dict_items";
  }
  return "dict_view";
}

Text DictView::repr(Runtime& runtime, int depth) const {
  return repr_items(runtime, *items_, std::string(type_name()) + "([", "])", depth);
}

std::optional<Value> Namespace::attribute(Runtime&, std::string_view name) {
  const Value* value = attributes_.find(name);
  return value == nullptr ? std::nullopt : std::optional<Value>(*value);
}

void Namespace::set(Runtime& runtime, std::string_view name, Value value) {
  if (name.starts_with('_'))
    runtime.fail("a namespace cannot hold '{}': drop the underscore", name);
  attributes_.set(runtime, Value::string(name), std::move(value));
}

Text Namespace::repr(Runtime& runtime, int depth) const {
  Text out("<Namespace ");
  out.append(repr_dict(runtime, attributes_, depth + 1));
  out.append(">");
  return out;
}

}  // namespace tessera::jinja

// Method lookup, bound methods, and the methods of list, tuple, dict and float.
#include "tessera/text/internal/jinja/methods.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {
namespace {

class BoundMethod final : public Object {
 public:
  BoundMethod(Value self, std::string name, MethodFunction function)
      : self_(std::move(self)),
        name_(std::move(name)),
        function_(function),
        depth_(bounded_depth(self_.depth() + 1)) {}
  int depth() const override { return depth_; }
  std::string_view type_name() const override { return "builtin_function_or_method"; }
  bool callable() const override { return true; }
  Value call(Runtime& runtime, const Arguments& arguments) override {
    return function_(runtime, self_, arguments);
  }
  Text repr(Runtime&, int) const override { return Text("<built-in method " + name_ + ">"); }

 private:
  Value self_;
  std::string name_;
  MethodFunction function_;
  int depth_;
};

class Function final : public Object {
 public:
  Function(std::string name, Value (*function)(Runtime&, const Arguments&))
      : name_(std::move(name)), function_(function) {}
  std::string_view type_name() const override { return "function"; }
  bool callable() const override { return true; }
  Value call(Runtime& runtime, const Arguments& arguments) override {
    return function_(runtime, arguments);
  }
  Text repr(Runtime&, int) const override { return Text("<function " + name_ + ">"); }

 private:
  std::string name_;
  Value (*function_)(Runtime&, const Arguments&);
};

Value get_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "get", arguments, {"key", "default"}, 1);
  const Value* found = self.dict().find(runtime, bound[0]);
  return found != nullptr ? *found : bound.get(1, Value());
}

template <DictView::Part kPart>
Value view_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "dict method", arguments, {});
  std::vector<Value> values;
  runtime.allocate(self.dict().size() * 2 * sizeof(Value));
  for (const auto& [key, value] : self.dict().entries()) {
    if (kPart == DictView::Part::keys) values.push_back(key);
    if (kPart == DictView::Part::values) values.push_back(value);
    if (kPart == DictView::Part::items) values.push_back(Value::tuple({key, value}));
  }
  return Value(
      std::static_pointer_cast<Object>(std::make_shared<DictView>(kPart, std::move(values))));
}

Value copy_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "copy", arguments, {});
  return self;
}

Value count_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "count", arguments, {"value"}, 1);
  const auto& values = self.items().values;
  return Value(static_cast<std::int64_t>(
      std::count_if(values.begin(), values.end(),
                    [&](const Value& value) { return equals(runtime, value, bound[0]); })));
}

Value index_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "index", arguments, {"value"}, 1);
  const auto& values = self.items().values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (equals(runtime, values[i], bound[0])) return Value(static_cast<std::int64_t>(i));
  }
  runtime.fail("index: the value is not in the list");
}

Value is_integer_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  Bound(runtime, "is_integer", arguments, {});
  const double value = self.as_double();
  return Value(std::isfinite(value) && value == std::floor(value));
}

}  // namespace

MethodFunction find_method(const Value& value, std::string_view name) {
  if (value.is_string()) return find_string_method(name);
  if (value.is_dict()) {
    if (name == "get") return get_method;
    if (name == "items") return view_method<DictView::Part::items>;
    if (name == "keys") return view_method<DictView::Part::keys>;
    if (name == "values") return view_method<DictView::Part::values>;
    if (name == "copy") return copy_method;
  }
  if (value.is_sequence()) {
    if (name == "count") return count_method;
    if (name == "index") return index_method;
    if (name == "copy" && value.is_list()) return copy_method;
  }
  if (value.is_float() && name == "is_integer") return is_integer_method;
  return nullptr;
}

bool changes_container(const Value& value, std::string_view name) {
  static const std::unordered_set<std::string_view> kListMethods = {
      "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"};
  static const std::unordered_set<std::string_view> kDictMethods = {"clear", "pop", "popitem",
                                                                    "setdefault", "update"};
  if (value.is_list()) return kListMethods.contains(name);
  return value.is_dict() && kDictMethods.contains(name);
}

Value bind_method(const Value& self, std::string name, MethodFunction function) {
  return Value(std::static_pointer_cast<Object>(
      std::make_shared<BoundMethod>(self, std::move(name), function)));
}

Value make_function(std::string name, Value (*function)(Runtime&, const Arguments&)) {
  return Value(
      std::static_pointer_cast<Object>(std::make_shared<Function>(std::move(name), function)));
}

}  // namespace tessera::jinja

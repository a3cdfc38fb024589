#include "tessera/text/internal/jinja/globals.h"

#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/methods.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/strftime.h"

namespace tessera::jinja {
namespace {

/// cycler(a, b, c): next() goes round.
class Cycler final : public Object {
 public:
  explicit Cycler(std::vector<Value> values)
      : values_(Value::list(std::move(values)).items_ptr()) {}
  int depth() const override { return values_->depth; }
  std::string_view type_name() const override { return "Cycler"; }
  std::optional<Value> attribute(Runtime&, std::string_view name) override {
    const Value self(std::static_pointer_cast<Object>(shared_from_this()));
    if (name == "current") return values_->values[at_];
    if (name == "next") return bind_method(self, "next", next);
    if (name == "reset") return bind_method(self, "reset", reset);
    return std::nullopt;
  }

 private:
  static Value next(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Bound(runtime, "next", arguments, {});
    auto& cycler = static_cast<Cycler&>(*self.object());
    const std::size_t at = cycler.at_;
    cycler.at_ = (at + 1) % cycler.values_->values.size();
    return cycler.values_->values[at];
  }
  static Value reset(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Bound(runtime, "reset", arguments, {});
    static_cast<Cycler&>(*self.object()).at_ = 0;
    return {};
  }

  std::shared_ptr<const Items> values_;
  std::size_t at_ = 0;
};

/// joiner(", "): the empty string the first time, then the separator.
class Joiner final : public Object {
 public:
  explicit Joiner(Value separator)
      : separator_(std::move(separator)), depth_(bounded_depth(separator_.depth() + 1)) {}
  int depth() const override { return depth_; }
  std::string_view type_name() const override { return "Joiner"; }
  bool callable() const override { return true; }
  Value call(Runtime& runtime, const Arguments& arguments) override {
    Bound(runtime, "joiner", arguments, {});
    return std::exchange(used_, true) ? separator_ : Value::string("");
  }

 private:
  Value separator_;
  int depth_;
  bool used_ = false;
};

Value as_value(std::shared_ptr<Object> object) {
  return Value(std::move(object));
}

Value range_function(Runtime& runtime, const Arguments& arguments) {
  const Bound bound(runtime, "range", arguments, {"start", "stop", "step"}, 1);
  const bool one = !bound.has(1);
  const std::int64_t start = one ? 0 : bound.integer(0, 0);
  const std::int64_t stop = one ? bound.integer(0, 0) : bound.integer(1, 0);
  const std::int64_t step = bound.integer(2, 1);
  if (step == 0) runtime.fail("range: the step cannot be 0");
  constexpr std::size_t kMaxRange = 100000;
  std::vector<Value> values;
  std::int64_t at = start;
  while (step > 0 ? at < stop : at > stop) {
    if (values.size() == kMaxRange) runtime.fail("range: more than {} items", kMaxRange);
    runtime.allocate(sizeof(Value));
    values.push_back(Value(at));
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return as_value(std::make_shared<Range>(start, stop, step, std::move(values)));
}

/// dict(mapping or pairs, **named).
std::shared_ptr<const Dict> make_dict(Runtime& runtime, const Arguments& arguments) {
  if (arguments.positional.size() > 1) runtime.fail("dict takes at most one positional argument");
  auto dict = std::make_shared<Dict>();
  if (!arguments.positional.empty()) {
    const Value& source = arguments.positional[0];
    if (source.is_dict()) {
      runtime.allocate(source.dict().size() * 2 * sizeof(Value));
      *dict = source.dict();
    } else {
      for (const auto items = iterate(runtime, source); const Value& pair : items->values) {
        const auto parts = iterate(runtime, pair);
        if (parts->values.size() != 2) runtime.fail("dict needs pairs");
        runtime.allocate(2 * sizeof(Value));
        dict->set(runtime, parts->values[0], parts->values[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) {
    dict->set(runtime, Value::string(name), value);
  }
  return dict;
}

Value dict_function(Runtime& runtime, const Arguments& arguments) {
  return Value(make_dict(runtime, arguments));
}

Value namespace_function(Runtime& runtime, const Arguments& arguments) {
  const auto start = make_dict(runtime, arguments);
  for (const auto& [name, value] : start->entries()) {
    if (name.is_string() && name.view().starts_with('_')) {
      runtime.fail("a namespace cannot hold '{}': drop the underscore", name.view());
    }
  }
  return as_value(runtime.own(std::make_shared<Namespace>(start)));
}

Value cycler_function(Runtime& runtime, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.named.empty()) {
    runtime.fail("cycler needs at least one value");
  }
  return as_value(std::make_shared<Cycler>(arguments.positional));
}

Value joiner_function(Runtime& runtime, const Arguments& arguments) {
  const Bound bound(runtime, "joiner", arguments, {"sep"});
  return as_value(std::make_shared<Joiner>(bound.get(0, Value::string(", "))));
}

Value raise_function(Runtime& runtime, const Arguments& arguments) {
  const Bound bound(runtime, "raise_exception", arguments, {"message"}, 1);
  runtime.refuse(to_text(runtime, bound[0]).bytes());
}

Value strftime_function(Runtime& runtime, const Arguments& arguments) {
  const Bound bound(runtime, "strftime_now", arguments, {"format"}, 1);
  return make_string(
      runtime, with_origin_of(format_time(bound.text(0).view(), runtime.now()), bound.text(0)));
}

}  // namespace

void define_globals(Frame& frame) {
  frame.set("range", make_function("range", range_function));
  frame.set("dict", make_function("dict", dict_function));
  frame.set("namespace", make_function("namespace", namespace_function));
  frame.set("cycler", make_function("cycler", cycler_function));
  frame.set("joiner", make_function("joiner", joiner_function));
  frame.set("raise_exception", make_function("raise_exception", raise_function));
  frame.set("strftime_now", make_function("strftime_now", strftime_function));
}

}  // namespace tessera::jinja

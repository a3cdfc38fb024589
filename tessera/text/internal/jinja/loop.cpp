#include "tessera/text/internal/jinja/loop.h"

#include <utility>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/interpreter.h"
#include "tessera/text/internal/jinja/methods.h"
#include "tessera/text/internal/jinja/operators.h"

namespace tessera::jinja {
namespace {

Value cycle_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return static_cast<const LoopObject&>(*self.object()).cycle(runtime, arguments);
}

Value changed_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
  return Value(static_cast<LoopObject&>(*self.object()).changed(runtime, arguments));
}

}  // namespace

LoopObject::LoopObject(Interpreter& interpreter, const For& node,
                       std::shared_ptr<const Items> items, FramePtr frame, int depth)
    : interpreter_(interpreter),
      node_(node),
      items_(std::move(items)),
      frame_(std::move(frame)),
      depth_(depth) {}

void LoopObject::clear() {
  items_ = std::make_shared<const Items>();
  frame_.reset();
  last_seen_.reset();
}

Value LoopObject::call(Runtime& runtime, const Arguments& arguments) {
  if (!node_.recursive) runtime.fail("loop(...) needs a loop marked 'recursive'");
  const Bound bound(runtime, "loop", arguments, {"iterable"}, 1);
  const Runtime::Level level(runtime);
  Text out;
  interpreter_.run_loop(node_, jinja::iterate(runtime, bound[0]), frame_, depth_ + 1, out);
  return Value::string(std::move(out));
}

std::optional<Value> LoopObject::attribute(Runtime&, std::string_view name) {
  const Value self(std::static_pointer_cast<Object>(shared_from_this()));
  if (name == "index") return Value(index_ + 1);
  if (name == "index0") return Value(index_);
  if (name == "revindex") return Value(size() - index_);
  if (name == "revindex0") return Value(size() - index_ - 1);
  if (name == "first") return Value(index_ == 0);
  if (name == "last") return Value(index_ + 1 >= size());
  if (name == "length") return Value(size());
  if (name == "depth") return Value(std::int64_t{depth_ + 1});
  if (name == "depth0") return Value(std::int64_t{depth_});
  if (name == "cycle") return bind_method(self, "cycle", cycle_method);
  if (name == "changed") return bind_method(self, "changed", changed_method);
  const auto item = [this](std::int64_t index, const char* missing) {
    return index >= 0 && index < size() ? items_->values[static_cast<std::size_t>(index)]
                                        : Value::undefined(missing);
  };
  if (name == "previtem") return item(index_ - 1, "there is no previous item");
  if (name == "nextitem") return item(index_ + 1, "there is no next item");
  return std::nullopt;
}

Value LoopObject::cycle(Runtime& runtime, const Arguments& arguments) const {
  const auto& choices = arguments.positional;
  if (choices.empty() || !arguments.named.empty()) runtime.fail("loop.cycle needs values");
  return choices[static_cast<std::size_t>(index_) % choices.size()];
}

bool LoopObject::changed(Runtime& runtime, const Arguments& arguments) {
  const auto& now = arguments.positional;
  bool same = last_seen_ && last_seen_->size() == now.size();
  for (std::size_t i = 0; same && i < now.size(); ++i) {
    same = equals(runtime, (*last_seen_)[i], now[i]);
  }
  if (!same) last_seen_ = now;
  return !same;
}

Text LoopObject::repr(Runtime&, int) const {
  return Text("<LoopContext " + std::to_string(index_ + 1) + "/" + std::to_string(size()) + ">");
}

}  // namespace tessera::jinja

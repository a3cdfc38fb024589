// The `loop` variable of a for loop.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/frame.h"
#include "tessera/text/internal/jinja/object.h"

namespace tessera::jinja {

class Interpreter;

/// loop.index, index0, revindex, revindex0, first, last, length, depth, depth0, previtem, nextitem,
/// cycle(...), changed(...), and loop(items) in a recursive loop.
class LoopObject final : public Object {
 public:
  LoopObject(Interpreter& interpreter, const For& node, std::shared_ptr<const Items> items,
             FramePtr frame, int depth);

  std::string_view type_name() const override { return "LoopContext"; }
  bool callable() const override { return true; }
  Value call(Runtime& runtime, const Arguments& arguments) override;
  std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;
  std::optional<std::int64_t> length() const override { return size(); }
  Text repr(Runtime& runtime, int depth) const override;

  /// To the next item.
  void advance() { ++index_; }
  /// Lets go of all that may hold this object in turn.
  void clear();

  Value cycle(Runtime& runtime, const Arguments& arguments) const;
  /// Whether the arguments differ from those of the call before.
  bool changed(Runtime& runtime, const Arguments& arguments);

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(items_->values.size()); }

  Interpreter& interpreter_;
  const For& node_;
  std::shared_ptr<const Items> items_;
  FramePtr frame_;
  int depth_;
  std::int64_t index_ = 0;
  std::optional<std::vector<Value>> last_seen_;
};

}  // namespace tessera::jinja

// A macro, or the body of a call block, as a function.
#pragma once

#include <memory>
#include <utility>

#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/frame.h"
#include "tessera/text/internal/jinja/object.h"

namespace tessera::jinja {

class Interpreter;

class MacroObject final : public Object {
 public:
  MacroObject(Interpreter& interpreter, std::shared_ptr<const MacroDefinition> definition,
              FramePtr frame)
      : interpreter_(interpreter), definition_(std::move(definition)), frame_(std::move(frame)) {}

  std::string_view type_name() const override { return "Macro"; }
  bool callable() const override { return true; }
  Value call(Runtime& runtime, const Arguments& arguments) override;
  std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;
  Text repr(Runtime& runtime, int depth) const override;

  /// Lets go of the frame it was defined in, which may hold this object in turn.
  void clear() { frame_.reset(); }

 private:
  Interpreter& interpreter_;
  std::shared_ptr<const MacroDefinition> definition_;
  FramePtr frame_;
};

}  // namespace tessera::jinja

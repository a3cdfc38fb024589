// The interpreter: runs a parsed template in a frame of names.
#pragma once

#include <memory>
#include <string>

#include "tessera/text/internal/jinja/arguments.h"
#include "tessera/text/internal/jinja/ast.h"
#include "tessera/text/internal/jinja/frame.h"
#include "tessera/text/internal/jinja/runtime.h"

namespace tessera::jinja {

class LoopObject;

class Interpreter {
 public:
  explicit Interpreter(Runtime& runtime) : runtime_(runtime) {}

  /// What the template writes.
  Text run(const Block& block, const FramePtr& frame);

  /// Runs a macro's body with its parameters bound.
  Text run_macro(const MacroDefinition& macro, const FramePtr& definition_frame,
                 const Arguments& arguments);
  /// Runs a loop over `items`; `depth` counts recursive calls of loop(...).
  void run_loop(const For& loop, const std::shared_ptr<const Items>& items, const FramePtr& frame,
                int depth, Text& out);

  Runtime& runtime() { return runtime_; }

 private:
  enum class Flow { next, break_loop, continue_loop };

  Flow execute(const Block& block, const FramePtr& frame, Text& out);

  // One per kind of statement.
  Flow execute(const TextOutput& node, const FramePtr& frame, Text& out);
  Flow execute(const Output& node, const FramePtr& frame, Text& out);
  Flow execute(const If& node, const FramePtr& frame, Text& out);
  Flow execute(const For& node, const FramePtr& frame, Text& out);
  Flow execute(const Set& node, const FramePtr& frame, Text& out);
  Flow execute(const SetBlock& node, const FramePtr& frame, Text& out);
  Flow execute(const With& node, const FramePtr& frame, Text& out);
  Flow execute(const MacroStatement& node, const FramePtr& frame, Text& out);
  Flow execute(const CallBlock& node, const FramePtr& frame, Text& out);
  Flow execute(const FilterBlock& node, const FramePtr& frame, Text& out);
  Flow execute(const Generation& node, const FramePtr& frame, Text& out);
  Flow execute(const Break&, const FramePtr&, Text&) { return Flow::break_loop; }
  Flow execute(const Continue&, const FramePtr&, Text&) { return Flow::continue_loop; }

  void assign(const Target& target, const Value& value, const FramePtr& frame);
  void write(const Value& value, Text& out);

  Value evaluate(const Expr& expr, const FramePtr& frame);
  Value evaluate_or_none(const ExprPtr& expr, const FramePtr& frame);

  // One per kind of expression.
  Value evaluate(const Literal& node, const FramePtr& frame);
  Value evaluate(const Name& node, const FramePtr& frame);
  Value evaluate(const ListLiteral& node, const FramePtr& frame);
  Value evaluate(const TupleLiteral& node, const FramePtr& frame);
  Value evaluate(const DictLiteral& node, const FramePtr& frame);
  Value evaluate(const Attribute& node, const FramePtr& frame);
  Value evaluate(const Subscript& node, const FramePtr& frame);
  Value evaluate(const Slice& node, const FramePtr& frame);
  Value evaluate(const Call& node, const FramePtr& frame);
  Value evaluate(const FilterCall& node, const FramePtr& frame);
  Value evaluate(const PredicateCall& node, const FramePtr& frame);
  Value evaluate(const Unary& node, const FramePtr& frame);
  Value evaluate(const Binary& node, const FramePtr& frame);
  Value evaluate(const Logical& node, const FramePtr& frame);
  Value evaluate(const Concatenation& node, const FramePtr& frame);
  Value evaluate(const Comparison& node, const FramePtr& frame);
  Value evaluate(const Conditional& node, const FramePtr& frame);

  std::vector<Value> evaluate_all(const std::vector<ExprPtr>& exprs, const FramePtr& frame);
  Arguments evaluate_arguments(const CallArguments& arguments, const FramePtr& frame);
  Value call(const Value& function, const Arguments& arguments);
  bool compare(CompareOp op, const Value& left, const Value& right);
  /// The filter chain of {% filter %} and {% set %}, on the captured text.
  Value filter_captured(const Expr& filter, Text captured, const FramePtr& frame);

  Runtime& runtime_;
  // What a filter chain without an input starts from.
  const Value* captured_ = nullptr;
};

}  // namespace tessera::jinja

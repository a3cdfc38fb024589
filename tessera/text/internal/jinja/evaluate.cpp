// Expressions.
#include <utility>

#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/interpreter.h"
#include "tessera/text/internal/jinja/object.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"
#include "tessera/text/internal/jinja/text_ops.h"

namespace tessera::jinja {

Value Interpreter::evaluate(const Expr& expr, const FramePtr& frame) {
  const Runtime::Level level(runtime_);
  runtime_.step();
  runtime_.at_line(expr.line);
  return std::visit([&](const auto& node) { return evaluate(node, frame); }, expr.node);
}

Value Interpreter::evaluate_or_none(const ExprPtr& expr, const FramePtr& frame) {
  return expr ? evaluate(*expr, frame) : Value();
}

std::vector<Value> Interpreter::evaluate_all(const std::vector<ExprPtr>& exprs,
                                             const FramePtr& frame) {
  std::vector<Value> values;
  values.reserve(exprs.size());
  runtime_.allocate(exprs.size() * sizeof(Value));
  for (const ExprPtr& expr : exprs) values.push_back(evaluate(*expr, frame));
  return values;
}

Value Interpreter::evaluate(const Literal& node, const FramePtr&) {
  return node.value;
}

Value Interpreter::evaluate(const Name& node, const FramePtr& frame) {
  if (const Value* value = frame->find(node.name)) return *value;
  return Value::undefined("'" + node.name + "' is undefined");
}

Value Interpreter::evaluate(const ListLiteral& node, const FramePtr& frame) {
  return Value::list(evaluate_all(node.items, frame));
}

Value Interpreter::evaluate(const TupleLiteral& node, const FramePtr& frame) {
  return Value::tuple(evaluate_all(node.items, frame));
}

Value Interpreter::evaluate(const DictLiteral& node, const FramePtr& frame) {
  auto dict = std::make_shared<Dict>();
  for (const auto& [key, value] : node.entries) {
    Value evaluated_key = evaluate(*key, frame);
    runtime_.allocate(2 * sizeof(Value));
    dict->set(runtime_, std::move(evaluated_key), evaluate(*value, frame));
  }
  return Value(std::shared_ptr<const Dict>(std::move(dict)));
}

Value Interpreter::evaluate(const Attribute& node, const FramePtr& frame) {
  return attribute(runtime_, evaluate(*node.object, frame), node.name);
}

Value Interpreter::evaluate(const Subscript& node, const FramePtr& frame) {
  const Value object = evaluate(*node.object, frame);
  return subscript(runtime_, object, evaluate(*node.key, frame));
}

Value Interpreter::evaluate(const Slice& node, const FramePtr& frame) {
  const Value object = evaluate(*node.object, frame);
  const Value start = evaluate_or_none(node.start, frame);
  const Value stop = evaluate_or_none(node.stop, frame);
  const Value step = evaluate_or_none(node.step, frame);
  return slice(runtime_, object, start, stop, step);
}

Arguments Interpreter::evaluate_arguments(const CallArguments& arguments, const FramePtr& frame) {
  Arguments out;
  out.positional = evaluate_all(arguments.positional, frame);
  for (const auto& [name, expr] : arguments.named) {
    if (out.find(name) != nullptr) runtime_.fail("keyword argument '{}' given twice", name);
    out.named.emplace_back(name, evaluate(*expr, frame));
  }
  if (arguments.unpacked) {
    const auto items = iterate(runtime_, evaluate(*arguments.unpacked, frame));
    runtime_.allocate(items->values.size() * sizeof(Value));
    out.positional.insert(out.positional.end(), items->values.begin(), items->values.end());
  }
  if (arguments.unpacked_named) {
    const Value value = evaluate(*arguments.unpacked_named, frame);
    if (!value.is_dict()) runtime_.fail("** needs a dict, not {}", value.type_name());
    for (const auto& [key, item] : value.dict().entries()) {
      runtime_.step();
      if (!key.is_string()) runtime_.fail("** needs str keys, not {}", key.type_name());
      if (out.find(key.view()) != nullptr) {
        runtime_.fail("keyword argument '{}' given twice", key.view());
      }
      out.named.emplace_back(key.view(), item);
    }
  }
  return out;
}

Value Interpreter::call(const Value& function, const Arguments& arguments) {
  if (function.is_undefined()) runtime_.fail("{}", function.undefined_message());
  if (!function.is_object() || !function.object()->callable()) {
    runtime_.fail("'{}' object is not callable", function.type_name());
  }
  const int line = runtime_.line();
  Value result = function.object()->call(runtime_, arguments);
  runtime_.at_line(line);
  return result;
}

Value Interpreter::evaluate(const Call& node, const FramePtr& frame) {
  const Value function = evaluate(*node.function, frame);
  return call(function, evaluate_arguments(node.arguments, frame));
}

Value Interpreter::evaluate(const FilterCall& node, const FramePtr& frame) {
  if (node.function == nullptr) runtime_.fail("no filter named '{}'", node.name);
  const Value input = node.input ? evaluate(*node.input, frame) : *captured_;
  return node.function(runtime_, input, evaluate_arguments(node.arguments, frame));
}

Value Interpreter::evaluate(const PredicateCall& node, const FramePtr& frame) {
  if (node.function == nullptr) runtime_.fail("no test named '{}'", node.name);
  const Value input = evaluate(*node.input, frame);
  return Value(node.function(runtime_, input, evaluate_arguments(node.arguments, frame)));
}

Value Interpreter::evaluate(const Unary& node, const FramePtr& frame) {
  const Value operand = evaluate(*node.operand, frame);
  switch (node.op) {
    case UnaryOp::negate: return negate(runtime_, operand);
    case UnaryOp::plus: return plus(runtime_, operand);
    case UnaryOp::logical_not: return Value(!truthy(operand));
  }
  return {};
}

Value Interpreter::evaluate(const Binary& node, const FramePtr& frame) {
  const Value left = evaluate(*node.left, frame);
  return binary(runtime_, node.op, left, evaluate(*node.right, frame));
}

Value Interpreter::evaluate(const Logical& node, const FramePtr& frame) {
  Value left = evaluate(*node.left, frame);
  if (truthy(left) != node.is_and) return left;
  return evaluate(*node.right, frame);
}

Value Interpreter::evaluate(const Concatenation& node, const FramePtr& frame) {
  std::vector<Text> parts;
  for (const Value& value : evaluate_all(node.parts, frame)) {
    parts.push_back(to_text(runtime_, value));
  }
  return Value::string(join(runtime_, Text(), parts));
}

bool Interpreter::compare(CompareOp op, const Value& left, const Value& right) {
  switch (op) {
    case CompareOp::equal: return equals(runtime_, left, right);
    case CompareOp::not_equal: return !equals(runtime_, left, right);
    case CompareOp::less: return less(runtime_, left, right);
    case CompareOp::less_equal: return less_equal(runtime_, left, right);
    case CompareOp::greater: return less(runtime_, right, left);
    case CompareOp::greater_equal: return less_equal(runtime_, right, left);
    case CompareOp::in: return contains(runtime_, right, left);
    case CompareOp::not_in: return !contains(runtime_, right, left);
  }
  return false;
}

Value Interpreter::evaluate(const Comparison& node, const FramePtr& frame) {
  Value left = evaluate(*node.first, frame);
  for (const auto& [op, operand] : node.rest) {
    Value right = evaluate(*operand, frame);
    if (!compare(op, left, right)) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Value Interpreter::evaluate(const Conditional& node, const FramePtr& frame) {
  if (truthy(evaluate(*node.condition, frame))) return evaluate(*node.then, frame);
  if (node.otherwise) return evaluate(*node.otherwise, frame);
  return Value::undefined(
      "the inline if-expression evaluated to false and no else section was defined.");
}

}  // namespace tessera::jinja

// Statements.
#include "tessera/text/internal/jinja/interpreter.h"

#include <utility>

#include "tessera/text/internal/jinja/compare.h"
#include "tessera/text/internal/jinja/loop.h"
#include "tessera/text/internal/jinja/macro.h"
#include "tessera/text/internal/jinja/operators.h"
#include "tessera/text/internal/jinja/print.h"

namespace tessera::jinja {

Text Interpreter::run(const Block& block, const FramePtr& frame) {
  Text out;
  execute(block, frame, out);
  return out;
}

Interpreter::Flow Interpreter::execute(const Block& block, const FramePtr& frame, Text& out) {
  const Runtime::Level level(runtime_);
  for (const Statement& statement : block) {
    runtime_.step();
    runtime_.at_line(statement.line);
    const Flow flow =
        std::visit([&](const auto& node) { return execute(node, frame, out); }, statement.node);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

void Interpreter::write(const Value& value, Text& out) {
  if (value.is_string()) {
    runtime_.allocate(value.text().size());
    out.append(value.text());
  } else {
    out.append(to_text(runtime_, value));
  }
}

Interpreter::Flow Interpreter::execute(const TextOutput& node, const FramePtr&, Text& out) {
  runtime_.allocate(node.text.size());
  out.append(node.text);
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Output& node, const FramePtr& frame, Text& out) {
  write(evaluate(*node.value, frame), out);
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const If& node, const FramePtr& frame, Text& out) {
  for (const auto& [condition, body] : node.branches) {
    if (truthy(evaluate(*condition, frame))) return execute(body, frame, out);
  }
  return execute(node.otherwise, frame, out);
}

Interpreter::Flow Interpreter::execute(const For& node, const FramePtr& frame, Text& out) {
  const Value iterable = evaluate(*node.iterable, frame);
  run_loop(node, iterate(runtime_, iterable), frame, 0, out);
  return Flow::next;
}

void Interpreter::run_loop(const For& node, const std::shared_ptr<const Items>& all,
                           const FramePtr& frame, int depth, Text& out) {
  std::shared_ptr<const Items> items = all;
  if (node.filter) {
    std::vector<Value> kept;
    for (const Value& item : all->values) {
      const auto scope = std::make_shared<Frame>(frame);
      assign(node.target, item, scope);
      if (truthy(evaluate(*node.filter, scope))) kept.push_back(item);
    }
    runtime_.allocate(kept.size() * sizeof(Value));
    items = Value::list(std::move(kept)).items_ptr();
  }

  const auto loop = std::make_shared<LoopObject>(*this, node, items, frame, depth);
  const Value loop_value(std::static_pointer_cast<Object>(loop));
  runtime_.own(loop);
  bool completed = false;
  for (const Value& item : items->values) {
    const auto scope = std::make_shared<Frame>(frame);
    scope->set("loop", loop_value);
    assign(node.target, item, scope);
    const Flow flow = execute(node.body, scope, out);
    loop->advance();
    if (flow == Flow::break_loop) break;
    if (flow == Flow::next) completed = true;
  }
  // Jinja's else stands for "no pass came to its end": also when break or continue cut every one.
  if (!completed) execute(node.otherwise, std::make_shared<Frame>(frame), out);
}

void Interpreter::assign(const Target& target, const Value& value, const FramePtr& frame) {
  if (target.is_tuple()) {
    const auto items = iterate(runtime_, value);
    if (items->values.size() != target.parts.size()) {
      runtime_.fail("cannot unpack {} values into {} names", items->values.size(),
                    target.parts.size());
    }
    for (std::size_t i = 0; i < target.parts.size(); ++i) {
      assign(target.parts[i], items->values[i], frame);
    }
    return;
  }
  if (target.attribute.empty()) return frame->set(target.name, value);
  const Value* holder = frame->find(target.name);
  const auto space = holder == nullptr ? nullptr : holder->object_as<Namespace>();
  if (!space) {
    runtime_.fail("cannot set '{}' on '{}': it is not a namespace", target.attribute, target.name);
  }
  space->set(runtime_, target.attribute, value);
}

Interpreter::Flow Interpreter::execute(const Set& node, const FramePtr& frame, Text&) {
  assign(node.target, evaluate(*node.value, frame), frame);
  return Flow::next;
}

Value Interpreter::filter_captured(const Expr& filter, Text captured, const FramePtr& frame) {
  const Value input = Value::string(std::move(captured));
  const Value* outer = std::exchange(captured_, &input);
  Value result = evaluate(filter, frame);
  captured_ = outer;
  return result;
}

Interpreter::Flow Interpreter::execute(const SetBlock& node, const FramePtr& frame, Text&) {
  Text captured;
  const auto scope = std::make_shared<Frame>(frame);
  const Flow flow = execute(node.body, scope, captured);
  if (flow != Flow::next) return flow;
  Value value = node.filter ? filter_captured(*node.filter, std::move(captured), scope)
                            : Value::string(std::move(captured));
  assign(node.target, value, frame);
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const With& node, const FramePtr& frame, Text& out) {
  // The values see the names outside, not each other.
  const auto scope = std::make_shared<Frame>(frame);
  for (const auto& [target, expr] : node.bindings) assign(target, evaluate(*expr, frame), scope);
  return execute(node.body, scope, out);
}

Interpreter::Flow Interpreter::execute(const FilterBlock& node, const FramePtr& frame, Text& out) {
  Text captured;
  const auto scope = std::make_shared<Frame>(frame);
  const Flow flow = execute(node.body, scope, captured);
  if (flow != Flow::next) return flow;
  write(filter_captured(*node.filter, std::move(captured), scope), out);
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const Generation& node, const FramePtr& frame, Text& out) {
  return execute(node.body, std::make_shared<Frame>(frame), out);
}

Interpreter::Flow Interpreter::execute(const MacroStatement& node, const FramePtr& frame, Text&) {
  const auto macro = runtime_.own(std::make_shared<MacroObject>(*this, node.macro, frame));
  frame->set(node.macro->name, Value(std::static_pointer_cast<Object>(macro)));
  return Flow::next;
}

Interpreter::Flow Interpreter::execute(const CallBlock& node, const FramePtr& frame, Text& out) {
  const auto caller = runtime_.own(std::make_shared<MacroObject>(*this, node.body, frame));
  const auto& call_node = std::get<Call>(node.call->node);
  const Value function = evaluate(*call_node.function, frame);
  Arguments arguments = evaluate_arguments(call_node.arguments, frame);
  arguments.named.emplace_back("caller", Value(std::static_pointer_cast<Object>(caller)));
  write(call(function, arguments), out);
  return Flow::next;
}

}  // namespace tessera::jinja

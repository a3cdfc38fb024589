#include <algorithm>
#include <unordered_map>

#include "tessera/graph/internal/program.h"
#include "tessera/graph/tape.h"

namespace tessera::graph {

namespace {

Arrays arguments_like(const Arrays& inputs) {
  Arrays arguments;
  for (const array& a : inputs) {
    auto state = std::make_shared<ArrayState>(TensorSpec{a.shape(), a.dtype()}, a.backend());
    state->tracer = true;
    arguments.push_back(array(std::move(state)));
  }
  return arguments;
}

// Numbers values while their arrays live.
class Numbering {
 public:
  explicit Numbering(Program& program) : program_(program) {}

  ValueId add(const array& a) {
    const auto id = static_cast<ValueId>(program_.specs.size());
    program_.specs.push_back({a.shape(), a.dtype()});
    known_.emplace(a.id(), id);
    held_.push_back(a);
    return id;
  }
  bool has(const array& a) const { return known_.contains(a.id()); }
  ValueId of(const array& a) const { return known_.at(a.id()); }

 private:
  Program& program_;
  std::unordered_map<const void*, ValueId> known_;
  Arrays held_;  // keeps the addresses from being used again
};

}  // namespace

std::optional<Program> trace(const ArraysFn& fun, const Arrays& inputs) {
  const bool within_another = TracingScope::active();
  const TracingScope tracing;
  const Arrays arguments = arguments_like(inputs);
  const Arrays outputs = fun(arguments);
  const Tape tape(outputs, arguments, {}, Dependence::any);

  Program program;
  program.inputs = static_cast<int>(inputs.size());
  Numbering numbers(program);
  for (const array& a : arguments) numbers.add(a);
  const auto add_constant = [&](const array& a) {
    if (numbers.has(a) || tape.depends(a)) return true;
    if (a.state().tracer && within_another) return false;
    numbers.add(a);
    program.constants.push_back(a);
    return true;
  };
  for (const array& at : tape.nodes()) {
    for (const array& input : at.state().node->inputs) {
      if (!add_constant(input)) return std::nullopt;
    }
  }
  for (const array& out : outputs) {
    if (!add_constant(out)) return std::nullopt;
  }
  for (const array& at : tape.nodes()) {
    const Node& node = *at.state().node;
    Step step{{&node.info, node.info.copy(node.op_data())}, {}, {}};
    for (const array& input : node.inputs) step.inputs.push_back(numbers.of(input));
    for (const array& out : node_outputs(at)) step.outputs.push_back(numbers.add(out));
    program.steps.push_back(std::move(step));
  }
  for (const array& out : outputs) program.outputs.push_back(numbers.of(out));
  eval(program.constants);
  return program;
}

Arrays replay(const Program& program, const Arrays& inputs) {
  std::vector<std::optional<array>> values(program.specs.size());
  std::copy(inputs.begin(), inputs.end(), values.begin());
  std::copy(program.constants.begin(), program.constants.end(),
            values.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
  for (const Step& step : program.steps) {
    Arrays in;
    for (const ValueId v : step.inputs) in.push_back(*values[static_cast<std::size_t>(v)]);
    const Arrays made = step.op.info->apply(step.op.attributes.get(), std::move(in), nullptr);
    for (std::size_t i = 0; i < made.size(); ++i) {
      values[static_cast<std::size_t>(step.outputs[i])] = made[i];
    }
  }
  Arrays outputs;
  for (const ValueId v : program.outputs) outputs.push_back(*values[static_cast<std::size_t>(v)]);
  return outputs;
}

}  // namespace tessera::graph

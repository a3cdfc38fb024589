// A traced function: its ops in the order they run, over numbered values, without arrays of its own
// but for constants. What compile() rewrites and replays.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tessera/graph/transforms.h"
#include "tessera/ops/fused.h"

namespace tessera::graph {

/// Numbers a value: first the inputs, then the constants, then what the steps give, each step's
/// outputs together and in order.
using ValueId = int;

struct Step {
  OwnedOp op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

struct Program {
  int inputs = 0;
  std::vector<array> constants;
  std::vector<Step> steps;
  std::vector<ValueId> outputs;
  std::vector<TensorSpec> specs;  ///< of every value, as traced

  bool is_constant(ValueId v) const {
    return v >= inputs && v < inputs + static_cast<int>(constants.size());
  }
  const array& constant(ValueId v) const { return constants[static_cast<std::size_t>(v - inputs)]; }
  const TensorSpec& spec(ValueId v) const { return specs[static_cast<std::size_t>(v)]; }
};

/// Runs the function once on arguments without values and writes down its ops. What does not depend
/// on an argument is computed and becomes a constant.
/// returns  nothing when the function uses an array that another transform is tracing: a program
///          would cut that transform off
/// errors   those of the function; invalid_argument when it evaluates what depends on its arguments
std::optional<Program> trace(const ArraysFn& fun, const Arrays& inputs);

/// A graph of the program over other inputs.
Arrays replay(const Program& program, const Arrays& inputs);

/// Leaves out what no output needs, ops that change nothing, and ops that were there before.
void simplify(Program& program);
/// Puts elementwise ops and the reductions between them into Fused ops.
void fuse(Program& program);
/// Leaves out steps and constants that no output needs.
void drop_unused(Program& program);

}  // namespace tessera::graph

#include "tessera/ops/fused.h"

#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/ir/node.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

std::vector<array> Fused::lower(std::span<const array> in) const {
  if (!program) fail(ErrorCode::invalid_argument, kName, "has no program");
  detail::check_count(kName, in, static_cast<std::size_t>(program->inputs),
                      static_cast<std::size_t>(program->inputs));
  std::vector<array> values(in.begin(), in.end());
  for (const FusedProgram::Step& step : program->steps) {
    std::vector<array> inputs;
    for (const int i : step.inputs) inputs.push_back(values[static_cast<std::size_t>(i)]);
    values.push_back(step.op.info->apply(step.op.attributes.get(), std::move(inputs), nullptr)[0]);
  }
  std::vector<array> outputs;
  for (const int i : program->outputs) outputs.push_back(values[static_cast<std::size_t>(i)]);
  return outputs;
}

std::vector<TensorSpec> Fused::infer(std::span<const array> in) const {
  const auto known = [](const array& a, const TensorSpec& spec) {
    return a.shape() == spec.shape && a.dtype() == spec.dtype;
  };
  if (program && std::equal(in.begin(), in.end(), program->known_inputs.begin(),
                            program->known_inputs.end(), known)) {
    return program->known_outputs;
  }
  std::vector<TensorSpec> specs;
  for (const array& a : lower(in)) specs.push_back({a.shape(), a.dtype()});
  return specs;
}

}  // namespace tessera

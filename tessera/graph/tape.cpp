#include "tessera/graph/tape.h"

#include <algorithm>

#include "tessera/ops/op_ids.h"

namespace tessera::graph {

namespace {
bool differentiable(Dtype dtype) {
  return issubdtype(dtype, Dtype::Category::inexact);
}

bool any_differentiable(const Node& node, const array& output) {
  if (!node.outputs) return differentiable(output.dtype());
  return std::any_of(node.outputs->specs.begin(), node.outputs->specs.end(),
                     [](const TensorSpec& s) { return differentiable(s.dtype); });
}
}  // namespace

Tape::Tape(const std::vector<array>& outputs, const std::vector<array>& sources,
           const std::vector<array>& boundary, Dependence dependence)
    : dependence_(dependence) {
  for (const array& a : sources) sources_.insert(a.id());
  for (const array& a : boundary) boundary_.insert(a.id());
  for (const array& output : outputs) visit(output);
}

bool Tape::depends(const array& a) const {
  if (dependence_ == Dependence::differentiable && !differentiable(a.dtype())) return false;
  if (source(a)) return true;
  if (boundary_.contains(a.id()) || !a.state().node) return false;
  const auto it = known_.find(a.state().node.get());
  return it != known_.end() && it->second;
}

// Whether the array's node has still to be visited.
bool Tape::enter(const array& a) {
  const ArrayState& s = a.state();
  if (!s.node || !s.tracer || source(a) || boundary_.contains(a.id())) return false;
  return known_.try_emplace(s.node.get(), false).second;
}

// Depth first, without recursion: a graph may be as deep as memory allows.
void Tape::visit(const array& output) {
  struct Visit {
    array at;
    std::size_t next_input = 0;
  };
  std::vector<Visit> stack;
  if (enter(output)) stack.push_back({output});
  while (!stack.empty()) {
    Visit& top = stack.back();
    const Node& node = *top.at.state().node;
    if (top.next_input < node.inputs.size()) {
      const array& input = node.inputs[top.next_input++];
      if (enter(input)) stack.push_back({input});  // may move `top`
      continue;
    }
    const bool cut = dependence_ == Dependence::differentiable &&
                     (node.info.id == OpId::StopGradient || !any_differentiable(node, top.at));
    bool& depends_here = known_[&node];
    for (const array& input : node.inputs) {
      if (!cut && depends(input)) depends_here = true;
    }
    if (depends_here) nodes_.push_back(top.at);
    stack.pop_back();
  }
}

}  // namespace tessera::graph

// pull_back and push_forward (graph/tape.h).
#include <algorithm>

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/graph/tape.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/passthrough.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera::graph {

array sum_to(const array& a, const Shape& shape) {
  if (a.shape() == shape) return a;
  const std::size_t extra = a.ndim() - shape.size();
  std::vector<int> axes;
  for (std::size_t i = 0; i < a.ndim(); ++i) {
    if (i < extra || (shape[i - extra] == 1 && a.shape()[i] != 1)) {
      axes.push_back(static_cast<int>(i));
    }
  }
  return reshape(axes.empty() ? a : sum(a, axes), shape);
}

array filled_like(const array& a, double value) {
  const BackendScope scope(a.backend());
  return full(a.shape(), array(value, a.dtype()));
}

namespace {

using Gradients = std::vector<std::optional<array>>;

array zeros_like(const array& a) {
  return filled_like(a, 0);
}

// What broadcasting and promotion did to the input is undone in its gradient.
array fit_gradient(const array& gradient, const array& input) {
  array fitted = gradient;
  if (gradient.shape() != input.shape()) {
    if (gradient.ndim() < input.ndim()) {
      fitted = broadcast_to(gradient, input.shape());
    } else {
      fitted = sum_to(gradient, input.shape());
    }
  }
  return astype(fitted, input.dtype());
}

// By the op's own rule; none when it has no rule for this case.
std::optional<Gradients> gradients_by_rule(const Node& node, const std::vector<array>& outputs,
                                           const std::vector<array>& cotangents,
                                           const std::vector<bool>& wanted) {
  if (!node.info.vjp) return std::nullopt;
  Vjp v(node.inputs, outputs, cotangents, wanted);
  node.info.vjp(node.op_data(), v);
  if (v.declined()) return std::nullopt;
  Gradients gradients = v.gradients();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    if (wanted[i]) {
      gradients[i] = fit_gradient(*gradients[i], node.inputs[i]);
    } else {
      gradients[i].reset();
    }
  }
  return gradients;
}

// By the derivatives of the simpler ops that say the same.
Gradients gradients_by_composition(const Node& node, const std::vector<array>& cotangents,
                                   const std::vector<bool>& wanted) {
  const auto simpler = node.info.lower ? node.info.lower : node.info.compose;
  if (!simpler) {
    fail(ErrorCode::invalid_argument, std::string(node.info.name),
         "this op has no derivative; use stop_gradient on what it gives, or custom_vjp");
  }
  std::vector<array> sources;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) sources.push_back(node.inputs[i]);
  }
  const std::vector<array> composed = simpler(node.op_data(), node.inputs);
  const std::vector<array> found = pull_back(composed, cotangents, sources, node.inputs);
  Gradients gradients(node.inputs.size());
  for (std::size_t i = 0, next = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    // An array that is two inputs of one op: pull_back gives the sum of both to each.
    const bool seen = std::any_of(node.inputs.begin(), node.inputs.begin() + std::ptrdiff_t(i),
                                  [&](const array& a) { return a.id() == node.inputs[i].id(); });
    if (!seen) gradients[i] = found[next];
    ++next;
  }
  return gradients;
}

Gradients node_gradients(const Node& node, const std::vector<array>& outputs,
                         const std::vector<array>& cotangents, const std::vector<bool>& wanted) {
  if (auto found = gradients_by_rule(node, outputs, cotangents, wanted)) return *found;
  return gradients_by_composition(node, cotangents, wanted);
}

void accumulate(ArrayMap& sums, const array& a, const array& gradient) {
  const auto [it, fresh] = sums.try_emplace(a.id(), gradient);
  if (!fresh) it->second = it->second + gradient;
}

std::vector<bool> dependent_inputs(const Tape& tape, const Node& node) {
  std::vector<bool> wanted;
  for (const array& input : node.inputs) wanted.push_back(tape.depends(input));
  return wanted;
}

}  // namespace

std::vector<array> pull_back(const std::vector<array>& outputs,
                             const std::vector<array>& cotangents,
                             const std::vector<array>& sources,
                             const std::vector<array>& boundary) {
  const TracingScope tracing;
  const Tape tape(outputs, sources, boundary, Dependence::differentiable);
  ArrayMap sums;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (tape.depends(outputs[i])) accumulate(sums, outputs[i], cotangents[i]);
  }
  for (auto it = tape.nodes().rbegin(); it != tape.nodes().rend(); ++it) {
    const Node& node = *it->state().node;
    const std::vector<array> made = node_outputs(*it);
    std::vector<array> flowing;
    bool any = false;
    for (const array& out : made) {
      const auto found = sums.find(out.id());
      any = any || found != sums.end();
      flowing.push_back(found == sums.end() ? zeros_like(out) : found->second);
    }
    if (!any) continue;
    for (const array& out : made) sums.erase(out.id());
    const Gradients gradients = node_gradients(node, made, flowing, dependent_inputs(tape, node));
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i]) accumulate(sums, node.inputs[i], *gradients[i]);
    }
  }
  std::vector<array> gradients;
  for (const array& source : sources) {
    const auto found = sums.find(source.id());
    gradients.push_back(found == sums.end() ? zeros_like(source) : found->second);
  }
  return gradients;
}

namespace {

// Tangents of a node's outputs. Its gradient is linear in the cotangents: pulling that map back
// once more, with the tangents in the place of cotangents, gives the forward derivative.
std::vector<array> node_tangents(const Node& node, const std::vector<array>& outputs,
                                 const std::vector<std::optional<array>>& tangents) {
  std::vector<bool> wanted;
  for (const auto& t : tangents) wanted.push_back(t.has_value());
  if (node.info.id == OpId::CustomFunction) {
    const auto& custom = node.op().as<CustomFunction>();
    std::vector<array> primals, given;
    std::vector<int> argnums;
    for (std::size_t i = static_cast<std::size_t>(custom.count); i < node.inputs.size(); ++i) {
      if (tangents[i]) {
        argnums.push_back(static_cast<int>(primals.size()));
        given.push_back(*tangents[i]);
      }
      primals.push_back(node.inputs[i]);
    }
    return custom.rules->jvp(primals, given, argnums);
  }
  // Where the map is taken does not matter, only that no rule has a corner there, as at 0.
  std::vector<array> dummies;
  for (const array& out : outputs) {
    dummies.push_back(copy(filled_like(out, 1)));
    dummies.back().state().tracer = true;
  }
  const Gradients gradients = node_gradients(node, outputs, dummies, wanted);
  std::vector<array> maps, along;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    maps.push_back(*gradients[i]);
    along.push_back(*tangents[i]);
  }
  // The rule sees nothing but these: what lies behind them is no part of the map.
  std::vector<array> boundary = node.inputs;
  boundary.insert(boundary.end(), outputs.begin(), outputs.end());
  return pull_back(maps, along, dummies, boundary);
}

}  // namespace

std::vector<array> push_forward(const std::vector<array>& outputs,
                                const std::vector<array>& sources,
                                const std::vector<array>& tangents) {
  const TracingScope tracing;
  const Tape tape(outputs, sources, {}, Dependence::differentiable);
  std::vector<array> held;  // the keys of `known`
  ArrayMap known;
  for (std::size_t i = 0; i < sources.size(); ++i) known.try_emplace(sources[i].id(), tangents[i]);
  for (const array& at : tape.nodes()) {
    const Node& node = *at.state().node;
    std::vector<std::optional<array>> flowing;
    for (const array& input : node.inputs) {
      const auto found = known.find(input.id());
      flowing.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
    }
    const std::vector<array> made = node_outputs(at);
    const std::vector<array> moved = node_tangents(node, made, flowing);
    for (std::size_t i = 0; i < made.size(); ++i) known.insert_or_assign(made[i].id(), moved[i]);
    held.insert(held.end(), made.begin(), made.end());
  }
  std::vector<array> found;
  for (const array& out : outputs) {
    const auto it = known.find(out.id());
    found.push_back(it == known.end() ? zeros_like(out) : it->second);
  }
  return found;
}

}  // namespace tessera::graph

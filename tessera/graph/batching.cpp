// over_batch (graph/tape.h): a graph run for many values of its sources at once.
#include <algorithm>

#include "tessera/core/internal/fail.h"
#include "tessera/graph/tape.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace graph {

namespace {

// Inputs of different rank broadcast from the last axis: ones go between batch and elements.
std::vector<array> vmap_elementwise(const Node& node, const Vmap& v) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < v.inputs().size(); ++i) rank = std::max(rank, v.rank(i));
  std::vector<array> inputs;
  for (std::size_t i = 0; i < v.inputs().size(); ++i) {
    const array& a = v.input(i);
    if (!v.batched(i) || v.rank(i) == rank) {
      inputs.push_back(a);
      continue;
    }
    Shape shape = a.shape();
    while (shape.size() < rank + 1) shape.insert(shape.begin() + 1, 1);
    inputs.push_back(reshape(a, shape));
  }
  return node.info.apply(node.op_data(), std::move(inputs), nullptr);
}

// The b-th of a batch.
array element(const array& batch, ShapeElem b) {
  Shape start(batch.ndim(), 0), stop = batch.shape();
  start[0] = b;
  stop[0] = b + 1;
  Shape shape(batch.shape().begin() + 1, batch.shape().end());
  return reshape(slice(batch, start, stop), shape);
}

// Any op at all: run for each of the batch. For ops that neither state a rule nor lower.
std::vector<array> vmap_by_loop(const Node& node, const Vmap& v) {
  if (v.size() == 0) {
    fail(ErrorCode::invalid_argument, std::string(node.info.name),
         "this op cannot be vectorised over an empty batch");
  }
  std::vector<std::vector<array>> parts;
  for (ShapeElem b = 0; b < v.size(); ++b) {
    std::vector<array> inputs;
    for (std::size_t i = 0; i < v.inputs().size(); ++i) {
      inputs.push_back(v.batched(i) ? element(v.input(i), b) : v.input(i));
    }
    const std::vector<array> made = node.info.apply(node.op_data(), std::move(inputs), nullptr);
    parts.resize(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) parts[i].push_back(made[i]);
  }
  std::vector<array> outputs;
  for (const std::vector<array>& part : parts) outputs.push_back(stack(part));
  return outputs;
}

// An argument of a function that is traced without values.
array placeholder_like(const array& a) {
  auto state = std::make_shared<ArrayState>(TensorSpec{a.shape(), a.dtype()}, a.backend());
  state->tracer = true;
  return array(std::move(state));
}

std::vector<array> vmap_composed(const Node& node, const Vmap& v) {
  const std::vector<array> inputs(v.inputs().begin(), v.inputs().end());
  std::vector<array> arguments = node.inputs, sources, batches;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!v.batched(i)) continue;
    arguments[i] = placeholder_like(node.inputs[i]);
    sources.push_back(arguments[i]);
    batches.push_back(inputs[i]);
  }
  const auto simpler = node.info.lower ? node.info.lower : node.info.compose;
  const std::vector<array> lowered = simpler(node.op_data(), arguments);
  Batched result = over_batch(lowered, sources, batches, v.size(), arguments);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (!result.batched[i]) {
      result.outputs[i] = Vmap({result.outputs[i]}, {false}, v.size()).with_batch(0);
    }
  }
  return result.outputs;
}

std::vector<array> vmap_node(const Node& node, const Vmap& v) {
  if (node.info.vmap) {
    std::vector<array> outputs = node.info.vmap(node.op_data(), v);
    if (!outputs.empty()) return outputs;
  }
  if (node.info.elementwise) return vmap_elementwise(node, v);
  if (node.info.lower || node.info.compose) return vmap_composed(node, v);
  return vmap_by_loop(node, v);
}

}  // namespace

Batched over_batch(const std::vector<array>& outputs, const std::vector<array>& sources,
                   const std::vector<array>& batches, ShapeElem size,
                   const std::vector<array>& boundary) {
  const TracingScope tracing;
  const Tape tape(outputs, sources, boundary, Dependence::any);
  std::vector<array> held;  // the keys of `known`
  ArrayMap known;
  for (std::size_t i = 0; i < sources.size(); ++i) known.try_emplace(sources[i].id(), batches[i]);
  for (const array& at : tape.nodes()) {
    const Node& node = *at.state().node;
    std::vector<array> inputs;
    std::vector<bool> batched;
    for (const array& input : node.inputs) {
      const auto found = known.find(input.id());
      batched.push_back(found != known.end());
      inputs.push_back(found == known.end() ? input : found->second);
    }
    const std::vector<array> made = node_outputs(at);
    const std::vector<array> results =
        vmap_node(node, Vmap(std::move(inputs), std::move(batched), size));
    for (std::size_t i = 0; i < made.size(); ++i) {
      Shape expected = made[i].shape();
      expected.insert(expected.begin(), size);
      if (results[i].shape() != expected) {
        fail(ErrorCode::internal, std::string(node.info.name),
             "the batching rule gave shape {} instead of {}", to_string(results[i].shape()),
             to_string(expected));
      }
      known.insert_or_assign(made[i].id(), results[i]);
    }
    held.insert(held.end(), made.begin(), made.end());
  }
  Batched found;
  for (const array& out : outputs) {
    const auto it = known.find(out.id());
    found.batched.push_back(it != known.end());
    found.outputs.push_back(it == known.end() ? out : it->second);
  }
  return found;
}

}  // namespace graph
}  // namespace tessera

// Nodes: an op with its inputs, and the state an array shares with its copies.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"

namespace tessera {

/// An op that has not run. Op structs are stored in NodeOf, in the same allocation.
struct Node {
  Node(const OpInfo& op_info, std::vector<array> node_inputs)
      : info(op_info), inputs(std::move(node_inputs)) {}
  virtual ~Node();
  virtual const void* op_data() const = 0;
  OpRef op() const { return {info, op_data()}; }

  const OpInfo& info;
  std::vector<array> inputs;
};

template <OpStruct Op>
struct NodeOf final : Node {
  NodeOf(Op op_struct, std::vector<array> inputs)
      : Node(op_info<Op>(), std::move(inputs)), attributes(std::move(op_struct)) {}
  const void* op_data() const override { return &attributes; }
  Op attributes;
};

/// Either `node` (a recipe) or `tensor` (a value) or `error` (the op failed when it ran).
struct ArrayState {
  ArrayState(TensorSpec s, BackendPtr b) : spec(std::move(s)), backend(std::move(b)) {}

  TensorSpec spec;
  BackendPtr backend;
  std::shared_ptr<Node> node;
  TensorPtr tensor;
  std::optional<HostTensor> host;  // cache of to_host()
  std::exception_ptr error;
  std::uint64_t walk = 0;  // the last graph walk that came by (graph/eval.cpp)
};

/// The common backend of the inputs.   errors  backend_mismatch naming both
BackendPtr common_backend(std::string_view op, std::span<const array> inputs);

/// Appends a node: checks the inputs by the op's own rule and returns its output.
template <OpStruct Op>
array apply(Op op, std::vector<array> inputs, BackendPtr backend = nullptr) {
  if (!backend) backend = inputs.empty() ? current_backend() : common_backend(Op::kName, inputs);
  TensorSpec spec = op.infer(std::span<const array>(inputs));
  return array(std::move(spec), std::move(backend),
               std::make_shared<NodeOf<Op>>(std::move(op), std::move(inputs)));
}

}  // namespace tessera

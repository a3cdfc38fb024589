// Nodes: an op with its inputs, and the state an array shares with its copies.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
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
  ~ArrayState() { delete host.load(std::memory_order_relaxed); }

  TensorSpec spec;
  BackendPtr backend;
  std::unique_ptr<Node> node;
  TensorPtr tensor;
  std::atomic<const HostTensor*> host{nullptr};  // cache of to_host(), set once
  std::exception_ptr error;
  std::uint64_t walk = 0;  // the last graph walk that came by (graph/eval.cpp)
};

/// The common backend of the inputs.   errors  backend_mismatch naming both
BackendPtr common_backend(std::string_view op, std::span<const array> inputs);

/// errors  invalid_argument when the value would have more than 2^63 - 1 bytes
void check_bytes(std::string_view op, const TensorSpec& spec);

/// Appends a node: checks the inputs by the op's own rule and returns its output.
template <OpStruct Op>
array apply(Op op, std::vector<array> inputs, BackendPtr backend = nullptr) {
  if (!backend) backend = inputs.empty() ? current_backend() : common_backend(Op::kName, inputs);
  TensorSpec spec = op.infer(std::span<const array>(inputs));
  check_bytes(Op::kName, spec);
  return array(std::move(spec), std::move(backend),
               std::make_unique<NodeOf<Op>>(std::move(op), std::move(inputs)));
}

}  // namespace tessera

// Nodes: an op with its inputs, and the state an array shares with its copies.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"

namespace tessera {

/// An op that has not run. Op structs are stored in NodeOf, in the same allocation.
struct Node {
  /// What an op of several outputs knows of them.
  struct Outputs {
    std::vector<TensorSpec> specs;
    /// Expired for an output that nobody holds.
    std::vector<std::weak_ptr<ArrayState>> states;
  };

  Node(const OpInfo& op_info, std::vector<array> node_inputs)
      : info(op_info), inputs(std::move(node_inputs)) {}
  virtual ~Node();
  virtual const void* op_data() const = 0;
  OpRef op() const { return {info, op_data()}; }

  const OpInfo& info;
  std::vector<array> inputs;
  std::unique_ptr<Outputs> outputs;  ///< nullptr for ops of one output
};

template <OpStruct Op>
struct NodeOf final : Node {
  NodeOf(Op op_struct, std::vector<array> inputs);
  const void* op_data() const override { return &attributes; }
  Op attributes;
};

/// `node` (a recipe), `tensor` (a value) or `error` (the op failed when it ran). Both node and
/// tensor while a transform still needs the recipe; neither for the argument of a function that is
/// being traced without values.
struct ArrayState {
  ArrayState(TensorSpec s, BackendPtr b) : spec(std::move(s)), backend(std::move(b)) {}
  ~ArrayState() { delete host.load(std::memory_order_relaxed); }

  TensorSpec spec;
  BackendPtr backend;
  std::shared_ptr<Node> node;
  std::uint32_t output = 0;  ///< which of the node's
  /// Depends on an argument of a function that is being traced.
  bool tracer = false;
  TensorPtr tensor;
  std::atomic<const HostTensor*> host{nullptr};  // cache of to_host(), set once
  std::exception_ptr error;
  std::uint64_t walk = 0;  // the last graph walk that came by (graph/eval.cpp)
};

/// While one lives, this thread traces a function: arrays made from tracers are tracers, and
/// evaluating a tracer keeps its node.
class TracingScope {
 public:
  TracingScope();
  ~TracingScope();
  TracingScope(const TracingScope&) = delete;
  TracingScope& operator=(const TracingScope&) = delete;

  static bool active();
  /// The node of `state`, which has been evaluated, goes when the outermost scope of this thread
  /// ends.
  static void release_node_later(const std::shared_ptr<ArrayState>& state);
};

/// The common backend of the inputs.   errors  backend_mismatch naming both
BackendPtr common_backend(std::string_view op, std::span<const array> inputs);

/// errors  invalid_argument when the value would have more than 2^63 - 1 bytes
void check_bytes(std::string_view op, const TensorSpec& spec);

/// Outputs of a node that has not run, one for each spec.
std::vector<array> node_outputs(std::vector<TensorSpec> specs, const BackendPtr& backend,
                                std::shared_ptr<Node> node);
/// All outputs of the node that `a` is one of, those that nobody holds anew.
std::vector<array> node_outputs(const array& a);

/// Appends a node: checks the inputs by the op's own rule and returns its output.
template <OpStruct Op>
array apply(Op op, std::vector<array> inputs, BackendPtr backend = nullptr) {
  static_assert(!MultiOutputOp<Op>, "use apply_multi");
  if (!backend) backend = inputs.empty() ? current_backend() : common_backend(Op::kName, inputs);
  TensorSpec spec = op.infer(std::span<const array>(inputs));
  check_bytes(Op::kName, spec);
  return array(std::move(spec), std::move(backend),
               std::make_shared<NodeOf<Op>>(std::move(op), std::move(inputs)));
}

/// apply() for ops of several outputs.
template <MultiOutputOp Op>
std::vector<array> apply_multi(Op op, std::vector<array> inputs, BackendPtr backend = nullptr) {
  if (!backend) backend = inputs.empty() ? current_backend() : common_backend(Op::kName, inputs);
  std::vector<TensorSpec> specs = op.infer(std::span<const array>(inputs));
  for (const TensorSpec& spec : specs) check_bytes(Op::kName, spec);
  return node_outputs(std::move(specs), backend,
                      std::make_shared<NodeOf<Op>>(std::move(op), std::move(inputs)));
}

/// The one OpInfo of an op struct.
template <OpStruct Op>
const OpInfo& op_info() {
  static constexpr OpInfo info = [] {
    OpInfo i{};
    i.id = op_id<Op>;
    i.name = Op::kName;
    i.doc = Op::kDoc;
    i.shapes = Op::kShapes;
    i.dtypes = Op::kDtypes;
    i.copy = [](const void* op) -> std::shared_ptr<const void> {
      return std::make_shared<const Op>(*static_cast<const Op*>(op));
    };
    i.same = [](const void* a, const void* b) {
      return same_attributes(*static_cast<const Op*>(a), *static_cast<const Op*>(b));
    };
    i.attributes = [](const void* op) {
      return op ? attributes_of(*static_cast<const Op*>(op)) : attributes_of(Op{});
    };
    i.required = !LowerableOp<Op>;
    i.elementwise = ElementwiseOp<Op>;
    if constexpr (LowerableOp<Op>) {
      i.lower = [](const void* op, std::span<const array> inputs) {
        return static_cast<const Op*>(op)->lower(inputs);
      };
    }
    if constexpr (HasComposition<Op>) {
      static_assert(!LowerableOp<Op>, "a lowering is a composition");
      i.compose = [](const void* op, std::span<const array> inputs) {
        return static_cast<const Op*>(op)->compose(inputs);
      };
    }
    if constexpr (HasVjp<Op>) {
      i.vjp = [](const void* op, Vjp& v) { static_cast<const Op*>(op)->vjp(v); };
    }
    if constexpr (HasVmap<Op>) {
      i.vmap = [](const void* op, const Vmap& v) { return static_cast<const Op*>(op)->vmap(v); };
    }
    i.apply = [](const void* op, std::vector<array> inputs, BackendPtr backend) {
      if constexpr (MultiOutputOp<Op>) {
        return apply_multi(*static_cast<const Op*>(op), std::move(inputs), std::move(backend));
      } else {
        return std::vector<array>{
            tessera::apply(*static_cast<const Op*>(op), std::move(inputs), std::move(backend))};
      }
    };
    return i;
  }();
  return info;
}

template <OpStruct Op>
NodeOf<Op>::NodeOf(Op op_struct, std::vector<array> node_inputs)
    : Node(op_info<Op>(), std::move(node_inputs)), attributes(std::move(op_struct)) {}

}  // namespace tessera

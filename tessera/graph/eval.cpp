#include "tessera/graph/eval.h"

#include <atomic>
#include <utility>

#include "tessera/backend/backend.h"
#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"

namespace tessera {

namespace {

thread_local bool lower_optional_ops = false;

using StatePtr = std::shared_ptr<ArrayState>;

// A node of several outputs runs once: the first of them that a walk meets stands for all.
void mark_siblings(const ArrayState& s, std::uint64_t walk) {
  if (!s.node->outputs) return;
  for (const std::weak_ptr<ArrayState>& weak : s.node->outputs->states) {
    if (const StatePtr sibling = weak.lock()) sibling->walk = walk;
  }
}

// Arrays in the order they can run: every input before its user. Iterative, so that a graph may be
// as deep as memory allows.
std::vector<StatePtr> schedule(const std::vector<array>& outputs) {
  static std::atomic<std::uint64_t> walks{0};
  const std::uint64_t walk = ++walks;
  std::vector<StatePtr> order;
  struct Visit {
    StatePtr state;
    std::size_t next_input = 0;
  };
  std::vector<Visit> stack;
  const auto enter = [&](const array& a) {
    ArrayState& s = a.state();
    if (s.error) std::rethrow_exception(s.error);
    if (s.tensor) return;
    if (!s.node) {
      fail(
          ErrorCode::invalid_argument, "eval",
          "an argument of a function that vmap or compile is tracing has no value yet; it can only "
          "be used in further ops");
    }
    if (std::exchange(s.walk, walk) == walk) return;
    mark_siblings(s, walk);
    stack.push_back({a.state_ptr()});
  };
  for (const array& output : outputs) {
    enter(output);
    while (!stack.empty()) {
      Visit& top = stack.back();
      const std::vector<array>& inputs = top.state->node->inputs;
      if (top.next_input < inputs.size()) {
        enter(inputs[top.next_input++]);  // may move `top`
      } else {
        order.push_back(std::move(top.state));
        stack.pop_back();
      }
    }
  }
  return order;
}

// Takes the tensors out of a node's inputs. An array that only this node still held gives up its
// tensor, so that the backend sees the sole reference and may reuse the memory.
void take_inputs(Node& node, std::vector<TensorPtr>& tensors) {
  std::vector<StatePtr> states;
  states.reserve(node.inputs.size());
  for (const array& input : node.inputs) states.push_back(input.state_ptr());
  node.inputs.clear();
  tensors.clear();
  for (StatePtr& state : states) {
    if (state.use_count() == 1) {
      // Another thread may just have let go of the array: see its last reads before this.
      StatePtr(state).reset();
      tensors.push_back(std::move(state->tensor));
    } else {
      tensors.push_back(state->tensor);
    }
    state.reset();
  }
}

void copy_inputs(const Node& node, std::vector<TensorPtr>& tensors) {
  tensors.clear();
  for (const array& input : node.inputs) tensors.push_back(input.state().tensor);
}

// The exception being handled as an Error that says which op met it.
std::exception_ptr naming_op(std::string_view op) {
  try {
    throw;
  } catch (const Error& e) {
    if (e.where() == op) return std::current_exception();
    return std::make_exception_ptr(Error(e.code(), std::string(op), e.what()));
  } catch (const std::bad_alloc&) {
    return std::make_exception_ptr(
        Error(ErrorCode::out_of_memory, std::string(op), "the system refused memory"));
  } catch (...) {
    return std::current_exception();
  }
}

// Runs the op through its lowering: a small graph over the inputs' tensors.
void run_lowered(const OpRef& op, const BackendPtr& backend, std::vector<TensorPtr>& tensors,
                 std::span<const TensorSpec> specs, std::span<TensorPtr> results) {
  std::vector<array> inputs;
  inputs.reserve(tensors.size());
  for (TensorPtr& t : tensors) inputs.emplace_back(std::move(t), backend);
  tensors.clear();
  const BackendScope scope(backend);  // what the lowering creates belongs with the inputs
  std::vector<array> lowered = op.info().lower(op.get(), inputs);
  inputs.clear();
  eval(lowered);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const array& a = lowered[i];
    if (a.shape() != specs[i].shape || a.dtype() != specs[i].dtype) {
      fail(ErrorCode::internal, std::string(op.name()), "the lowering gave {} {} instead of {} {}",
           to_string(a.dtype()), to_string(a.shape()), to_string(specs[i].dtype),
           to_string(specs[i].shape));
    }
    results[i] = a.state().tensor;
  }
}

void run_op(const OpRef& op, const BackendPtr& backend, std::vector<TensorPtr>& tensors,
            std::span<const TensorSpec> specs, std::span<TensorPtr> results) {
  if (op.info().lower && (lower_optional_ops || !backend->takes(op, tensors))) {
    run_lowered(op, backend, tensors, specs, results);
  } else if (backend->native(op.id())) {
    backend->run(op, tensors, specs, results);
  } else {
    fail(ErrorCode::unsupported_op, std::string(op.name()),
         "backend \"{}\" has no kernel for this required op", backend->name());
  }
}

// Gives the outputs of a node that ran (or failed) to the arrays that stand for them.
void settle(const Node& node, const StatePtr& state, std::span<TensorPtr> results,
            const std::exception_ptr& error, bool keep_node) {
  const auto settle_one = [&](const StatePtr& s, TensorPtr& tensor) {
    s->error = error;
    if (!error) s->tensor = std::move(tensor);
    if (keep_node && !error) {
      TracingScope::release_node_later(s);
    } else {
      s->node.reset();
    }
  };
  if (!node.outputs) return settle_one(state, results[0]);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (const StatePtr s = node.outputs->states[i].lock()) settle_one(s, results[i]);
  }
}

void run_state(const StatePtr& state, std::vector<TensorPtr>& tensors) {
  const std::shared_ptr<Node> node = state->node;
  const OpRef op = node->op();
  // A transform that is under way differentiates through values that its function has looked at.
  const bool keep_node = state->tracer && TracingScope::active();
  TensorPtr single;
  std::vector<TensorPtr> several;
  if (node->outputs) several.resize(node->outputs->specs.size());
  const std::span<TensorPtr> results = node->outputs ? std::span(several) : std::span(&single, 1);
  const std::span<const TensorSpec> specs = node->outputs
                                                ? std::span<const TensorSpec>(node->outputs->specs)
                                                : std::span<const TensorSpec>(&state->spec, 1);
  try {
    if (keep_node) {
      copy_inputs(*node, tensors);
    } else {
      take_inputs(*node, tensors);
    }
    run_op(op, state->backend, tensors, specs, results);
    tensors.clear();
    settle(*node, state, results, nullptr, keep_node);
  } catch (...) {
    tensors.clear();
    const std::exception_ptr error = naming_op(op.name());
    settle(*node, state, results, error, keep_node);
    std::rethrow_exception(error);
  }
}

}  // namespace

void eval(const std::vector<array>& outputs) {
  std::vector<StatePtr> order = schedule(outputs);
  std::vector<TensorPtr> tensors;
  for (StatePtr& state : order) {
    run_state(state, tensors);
    state.reset();  // from here only its users (and the caller) keep it
  }
  for (const array& output : outputs) output.backend()->flush();
}

void async_eval(const std::vector<array>& outputs) {
  eval(outputs);
}

array::array(HostTensor host, BackendPtr backend) : state_(nullptr) {
  if (!backend) backend = current_backend();
  TensorSpec spec{host.shape(), host.dtype()};
  state_ = std::make_shared<ArrayState>(std::move(spec), backend);
  state_->tensor = backend->from_host(std::move(host));
}

array::array(HostTensor host, Dtype dtype) : array(std::move(host), nullptr) {
  if (this->dtype() != dtype) *this = astype(*this, dtype);
}

void array::eval() const {
  if (!state_->tensor) tessera::eval({*this});
}

const HostTensor& array::to_host() const {
  if (const HostTensor* known = state_->host.load(std::memory_order_acquire)) return *known;
  eval();
  auto fresh = std::make_unique<const HostTensor>(state_->backend->read(state_->tensor).get());
  // Of several readers the first keeps its copy for all.
  const HostTensor* first = nullptr;
  if (state_->host.compare_exchange_strong(first, fresh.get())) return *fresh.release();
  return *first;
}

array to_backend(const array& a, const BackendPtr& backend) {
  return a.backend() == backend ? a : array(a.to_host(), backend);
}

LoweredScope::LoweredScope() : previous_(std::exchange(lower_optional_ops, true)) {}
LoweredScope::~LoweredScope() {
  lower_optional_ops = previous_;
}

}  // namespace tessera

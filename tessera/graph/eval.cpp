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
    if (s.node && std::exchange(s.walk, walk) != walk) stack.push_back({a.state_ptr()});
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
      tensors.push_back(std::move(state->tensor));
    } else {
      tensors.push_back(state->tensor);
    }
    state.reset();
  }
}

void run_state(ArrayState& s, std::vector<TensorPtr>& tensors);

// Runs the op through its lowering: a small graph over the inputs' tensors.
TensorPtr run_lowered(const ArrayState& s, const OpRef& op, std::vector<TensorPtr>& tensors) {
  std::vector<array> inputs;
  inputs.reserve(tensors.size());
  for (TensorPtr& t : tensors) inputs.emplace_back(std::move(t), s.backend);
  tensors.clear();
  std::vector<array> lowered = op.info().lower(op.get(), inputs);
  inputs.clear();
  eval(lowered);
  return std::move(lowered[0].state().tensor);
}

void run_state(ArrayState& s, std::vector<TensorPtr>& tensors) {
  // The node leaves the array before it runs: whatever happens, it runs once.
  const std::shared_ptr<Node> node = std::move(s.node);
  s.node = nullptr;
  try {
    take_inputs(*node, tensors);
    const OpRef op = node->op();
    const bool lower = op.info().lower && (lower_optional_ops || !s.backend->native(op.id()));
    if (lower) {
      s.tensor = run_lowered(s, op, tensors);
    } else if (s.backend->native(op.id())) {
      s.backend->run(op, tensors, std::span(&s.spec, 1), std::span(&s.tensor, 1));
    } else {
      fail(ErrorCode::unsupported_op, std::string(op.name()),
           "backend \"{}\" has no kernel for this required op", s.backend->name());
    }
    tensors.clear();
  } catch (...) {
    tensors.clear();
    s.error = std::current_exception();
    throw;
  }
}

}  // namespace

void eval(const std::vector<array>& outputs) {
  std::vector<StatePtr> order = schedule(outputs);
  std::vector<TensorPtr> tensors;
  for (StatePtr& state : order) {
    run_state(*state, tensors);
    state.reset();  // from here only its users (and the caller) keep it
  }
  for (const array& output : outputs) output.backend()->flush();
}

void async_eval(const std::vector<array>& outputs) { eval(outputs); }

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
  if (!state_->host) {
    eval();
    state_->host = state_->backend->read(state_->tensor).get();
  }
  return *state_->host;
}

array to_backend(const array& a, const BackendPtr& backend) {
  return a.backend() == backend ? a : array(a.to_host(), backend);
}

LoweredScope::LoweredScope() : previous_(std::exchange(lower_optional_ops, true)) {}
LoweredScope::~LoweredScope() { lower_optional_ops = previous_; }

}  // namespace tessera

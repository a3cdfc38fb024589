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
      // Another thread may just have let go of the array: see its last reads before this.
      StatePtr(state).reset();
      tensors.push_back(std::move(state->tensor));
    } else {
      tensors.push_back(state->tensor);
    }
    state.reset();
  }
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
TensorPtr run_lowered(const ArrayState& s, const OpRef& op, std::vector<TensorPtr>& tensors) {
  std::vector<array> inputs;
  inputs.reserve(tensors.size());
  for (TensorPtr& t : tensors) inputs.emplace_back(std::move(t), s.backend);
  tensors.clear();
  const BackendScope scope(s.backend);  // what the lowering creates belongs with the inputs
  std::vector<array> lowered = op.info().lower(op.get(), inputs);
  inputs.clear();
  eval(lowered);
  if (lowered[0].shape() != s.spec.shape || lowered[0].dtype() != s.spec.dtype) {
    fail(ErrorCode::internal, std::string(op.name()), "the lowering gave {} {} instead of {} {}",
         to_string(lowered[0].dtype()), to_string(lowered[0].shape()), to_string(s.spec.dtype),
         to_string(s.spec.shape));
  }
  return std::move(lowered[0].state().tensor);
}

void run_state(ArrayState& s, std::vector<TensorPtr>& tensors) {
  // The node leaves the array before it runs: whatever happens, it runs once.
  const std::unique_ptr<Node> node = std::move(s.node);
  const OpRef op = node->op();
  try {
    take_inputs(*node, tensors);
    const bool lower = op.info().lower && (lower_optional_ops || !s.backend->takes(op, tensors));
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
    s.error = naming_op(op.name());
    std::rethrow_exception(s.error);
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

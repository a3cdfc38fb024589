#include "tessera/ir/array.h"

#include <algorithm>
#include <utility>

#include "tessera/core/internal/fail.h"
#include "tessera/ir/node.h"

namespace tessera {

namespace {

thread_local int tracing_depth = 0;
thread_local std::vector<std::weak_ptr<ArrayState>> nodes_to_release;

bool depends_on_tracer(const Node& node) {
  return TracingScope::active() && std::any_of(node.inputs.begin(), node.inputs.end(),
                                               [](const array& a) { return a.state().tracer; });
}

}  // namespace

TracingScope::TracingScope() {
  ++tracing_depth;
}
TracingScope::~TracingScope() {
  if (--tracing_depth > 0) return;
  for (const std::weak_ptr<ArrayState>& held : std::exchange(nodes_to_release, {})) {
    if (const std::shared_ptr<ArrayState> state = held.lock()) state->node.reset();
  }
}
bool TracingScope::active() {
  return tracing_depth > 0;
}
void TracingScope::release_node_later(const std::shared_ptr<ArrayState>& state) {
  nodes_to_release.push_back(state);
}

array::array(TensorPtr tensor, BackendPtr backend)
    : state_(std::make_shared<ArrayState>(tensor->spec(), std::move(backend))) {
  state_->tensor = std::move(tensor);
}

array::array(TensorSpec spec, BackendPtr backend, std::shared_ptr<Node> node)
    : state_(std::make_shared<ArrayState>(std::move(spec), std::move(backend))) {
  state_->tracer = depends_on_tracer(*node);
  state_->node = std::move(node);
}

std::vector<array> node_outputs(std::vector<TensorSpec> specs, const BackendPtr& backend,
                                std::shared_ptr<Node> node) {
  std::vector<array> arrays;
  std::vector<std::weak_ptr<ArrayState>> states;
  for (const TensorSpec& spec : specs) {
    arrays.emplace_back(spec, backend, node);
    arrays.back().state().output = static_cast<std::uint32_t>(states.size());
    states.push_back(arrays.back().state_ptr());
  }
  node->outputs =
      std::make_unique<Node::Outputs>(Node::Outputs{std::move(specs), std::move(states)});
  return arrays;
}

std::vector<array> node_outputs(const array& a) {
  const std::shared_ptr<Node> node = a.state().node;
  if (!node->outputs) return {a};
  std::vector<array> arrays;
  for (std::size_t i = 0; i < node->outputs->specs.size(); ++i) {
    std::weak_ptr<ArrayState>& known = node->outputs->states[i];
    if (std::shared_ptr<ArrayState> state = known.lock()) {
      arrays.push_back(array(std::move(state)));
      continue;
    }
    arrays.emplace_back(node->outputs->specs[i], a.backend(), node);
    ArrayState& made = arrays.back().state();
    made.output = static_cast<std::uint32_t>(i);
    made.tracer = a.state().tracer;
    known = arrays.back().state_ptr();
  }
  return arrays;
}

const Shape& array::shape() const {
  return state_->spec.shape;
}
ShapeElem array::shape(int axis) const {
  return shape()[normalize_axis(axis, ndim(), "array::shape")];
}
Dtype array::dtype() const {
  return state_->spec.dtype;
}
const BackendPtr& array::backend() const {
  return state_->backend;
}
bool array::is_available() const {
  return state_->tensor != nullptr;
}

void check_bytes(std::string_view op, const TensorSpec& spec) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(num_elements(spec.shape), std::int64_t{spec.dtype.size()}, &bytes)) {
    fail(ErrorCode::invalid_argument, std::string(op), "{} {} has more than 2^63 - 1 bytes",
         to_string(spec.dtype), to_string(spec.shape));
  }
}

void array::check_single() const {
  if (size() != 1) {
    fail(ErrorCode::invalid_argument, "item", "the array has shape {}, not one element",
         to_string(shape()));
  }
}

Node::~Node() {
  // A long chain of unevaluated nodes would be destroyed by recursion, one stack frame a node.
  // Instead take over the inputs of every node that dies with this one.
  std::vector<array> doomed = std::move(inputs);
  while (!doomed.empty()) {
    array a = std::move(doomed.back());
    doomed.pop_back();
    if (!a.state_ptr()) continue;
    ArrayState& s = a.state();
    if (a.state_ptr().use_count() == 1 && s.node && s.node.use_count() == 1) {
      for (array& input : s.node->inputs) doomed.push_back(std::move(input));
      s.node->inputs.clear();
    }
  }
}

}  // namespace tessera

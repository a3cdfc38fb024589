#include "tessera/ir/array.h"

#include "tessera/core/internal/fail.h"
#include "tessera/ir/node.h"

namespace tessera {

array::array(TensorPtr tensor, BackendPtr backend)
    : state_(std::make_shared<ArrayState>(tensor->spec(), std::move(backend))) {
  state_->tensor = std::move(tensor);
}

array::array(TensorSpec spec, BackendPtr backend, std::unique_ptr<Node> node)
    : state_(std::make_shared<ArrayState>(std::move(spec), std::move(backend))) {
  state_->node = std::move(node);
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
    if (a.state_ptr().use_count() == 1 && s.node) {
      for (array& input : s.node->inputs) doomed.push_back(std::move(input));
      s.node->inputs.clear();
    }
  }
}

}  // namespace tessera

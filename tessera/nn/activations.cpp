#include "tessera/nn/activations.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/internal/numeric.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/passthrough.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/rounding.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/softmax.h"

namespace tessera::nn {

array relu(const array& x) {
  return maximum(x, weak(0, x));
}
array relu2(const array& x) {
  return square(relu(x));
}
array relu6(const array& x) {
  return minimum(relu(x), weak(6.0, x));
}
array leaky_relu(const array& x, double negative_slope) {
  return maximum(negative_slope * x, x);
}
array elu(const array& x, double alpha) {
  return where(x > 0, x, alpha * (exp(x) - 1));
}
array celu(const array& x, double alpha) {
  return maximum(x, weak(0.0, x)) + alpha * (exp(minimum(x, weak(0.0, x)) / alpha) - 1);
}
array selu(const array& x) {
  return elu(x, 1.67326) * 1.0507;
}
array prelu(const array& x, const array& alpha) {
  return maximum(weak(0, x), x) + alpha * minimum(weak(0, x), x);
}
array gelu_fast_approx(const array& x) {
  return x * sigmoid(1.702 * x);
}
array glu(const array& x, int axis) {
  const std::vector<array> halves = split(x, 2, axis);
  return halves[0] * sigmoid(halves[1]);
}
array mish(const array& x) {
  return x * tanh(softplus(x));
}
array hardswish(const array& x) {
  return x * minimum(maximum(x + 3, weak(0, x)), weak(6, x)) / 6;
}
array hard_tanh(const array& x, double min_val, double max_val) {
  return minimum(maximum(x, weak(min_val, x)), weak(max_val, x));
}
array hard_shrink(const array& x, double lambd) {
  return where(abs(x) > lambd, x, weak(0, x));
}
array softshrink(const array& x, double lambd) {
  return where(abs(x) > lambd, x - sign(x) * lambd, weak(0, x));
}
array softsign(const array& x) {
  return x / (1 + abs(x));
}
array softplus(const array& x) {
  return log_add_exp(x, weak(0, x));
}
array log_sigmoid(const array& x) {
  return -softplus(-x);
}
array softmax(const array& x, int axis) {
  return tessera::softmax(x, axis);
}
array softmin(const array& x, int axis) {
  return tessera::softmax(-x, axis);
}
array log_softmax(const array& x, int axis) {
  const array shifted = x - stop_gradient(max(x, axis, true));
  return shifted - logsumexp(shifted, axis, true);
}
array step(const array& x, double threshold) {
  return astype(x >= threshold, int32);
}

GELU::GELU(const std::string& approx) {
  if (approx == "none") {
    function_ = [](const array& x) { return gelu(x); };
  } else if (approx == "precise" || approx == "tanh") {
    function_ = [](const array& x) { return gelu_approx(x); };
  } else if (approx == "fast") {
    function_ = [](const array& x) { return gelu_fast_approx(x); };
  } else {
    fail(ErrorCode::invalid_argument, "nn::GELU",
         "approx \"{}\" is not one of none, precise, tanh, fast", approx);
  }
}

PReLU::PReLU(int num_parameters, float init) : weight_(full({num_parameters}, array(init))) {}

}  // namespace tessera::nn

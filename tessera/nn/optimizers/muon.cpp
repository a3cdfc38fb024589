#include "tessera/nn/optimizers/muon.h"

#include <algorithm>
#include <cmath>

#include "tessera/nn/optimizers/internal/slots.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/shape.h"

namespace tessera::optimizers {

namespace {

// Singular values towards 1: an odd polynomial, applied a few times, whose coefficients trade
// exactness for speed near 0.
array orthogonalized(const array& matrix, int steps) {
  constexpr float a = 3.4445f, b = -4.7750f, c = 2.0315f;
  const bool tall = matrix.shape(-2) > matrix.shape(-1);
  array x = tall ? transpose(matrix) : matrix;
  x = x / (sqrt(sum(square(x), true)) + 1e-7);
  for (int i = 0; i < steps; ++i) {
    const array gram = matmul(x, transpose(x));
    const array weight = addmm(b * gram, gram, gram, c, 1.0f);
    x = addmm(a * x, weight, x, 1.0f, 1.0f);
  }
  return tall ? transpose(x) : x;
}

}  // namespace

Muon::Muon(LearningRate learning_rate, const MuonOptions& options)
    : Optimizer(std::move(learning_rate)), options_(options) {}

void Muon::init_single(const array& parameter, Slots& slots) const {
  start_at_zero(slots, {"v"}, parameter);
}

array Muon::apply_single(const array& gradient, const array& parameter, Slots& slots) const {
  const double momentum = options_.momentum;
  array g = gradient;
  if (options_.weight_decay != 0) g = g + options_.weight_decay * parameter;
  array& v = slots.at("v");
  v = moved(v, momentum, g);
  array update = options_.nesterov ? g * (1 - momentum) + v * momentum : v;
  array lr = rate(g.dtype());
  if (update.ndim() >= 2) {
    const Shape shape = update.shape();
    update = reshape(orthogonalized(reshape(update, {shape[0], -1}), options_.ns_steps), shape);
    const double ratio = double(update.shape(-2)) / double(update.shape(-1));
    lr = lr * std::sqrt(std::max(1.0, ratio));
  }
  return parameter - lr * update;
}

}  // namespace tessera::optimizers

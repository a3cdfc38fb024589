#include "tessera/nn/low_rank.h"

#include <cmath>

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/nn/dropout.h"
#include "tessera/nn/linear.h"
#include "tessera/ops/ops.h"

namespace tessera::nn {

namespace {

array initial_a(const Linear& layer, int rank) {
  if (rank < 1) fail(ErrorCode::invalid_argument, "LowRankAdapter", "rank {} < 1", rank);
  const BackendScope scope(layer.weight().data.backend());
  const double bound = 1 / std::sqrt(static_cast<double>(layer.input_dims()));
  return random::uniform(-bound, bound, {layer.input_dims(), rank});
}

// Of each row, in float32.
array row_norms(const array& matrix) {
  return sqrt(sum(square(astype(matrix, float32)), -1));
}

// scale * (A B)^T, what LoRA adds to the weight.
array update_of(const LowRankAdapter& adapter) {
  return matmul(transpose(adapter.lora_b) * adapter.scale, transpose(adapter.lora_a));
}

}  // namespace

LowRankAdapter::LowRankAdapter(const Linear& layer, int rank, float scale_, float dropout_,
                               bool use_dora)
    : lora_a(initial_a(layer, rank)), lora_b(lora_a), scale(scale_), dropout(dropout_) {
  if (!(dropout >= 0 && dropout < 1)) {
    fail(ErrorCode::invalid_argument, "LowRankAdapter", "dropout {} is not in [0, 1)", dropout);
  }
  const BackendScope scope(layer.weight().data.backend());
  lora_b = zeros({rank, layer.output_dims()});
  if (use_dora) m = row_norms(layer.weight().dense());
}

array LowRankAdapter::operator()(const Linear& layer, const array& x) const {
  const array thinned = layer.training() ? nn::dropout(x, dropout) : x;
  const array added = matmul(matmul(thinned, lora_a), lora_b) * scale;
  array y = layer.product(x) + astype(added, x.dtype());
  if (m) {
    const array norms = row_norms(layer.weight().dense() + update_of(*this));
    y = astype(*m / norms, x.dtype()) * y;
  }
  return layer.bias() ? astype(y + *layer.bias(), x.dtype()) : y;
}

array LowRankAdapter::fused_weight(const Linear& layer, Dtype dtype) const {
  array weight = layer.weight().dense() + update_of(*this);
  if (m) weight = weight * expand_dims(*m / row_norms(weight), -1);
  return astype(weight, dtype);
}

}  // namespace tessera::nn

#include "tessera/nn/linear.h"

#include "tessera/core/internal/fail.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/embedding.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/quantized_matmul.h"

namespace tessera::nn {

Linear::Linear(Weight weight, std::optional<array> bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
  if (weight_.shape.size() != 2) {
    fail(ErrorCode::shape_mismatch, "nn::Linear", "the weight must be [N, K], got {}",
         to_string(weight_.shape));
  }
}

array Linear::operator()(const array& x) const {
  if (weight_.packed) return quantized_linear(x, weight_.data, *weight_.packed, bias_, compute_);
  if (const auto& g = weight_.groups) {
    const array y = quantized_linear(x, weight_.data, g->scales, g->biases, g->format, bias_);
    return astype(y, x.dtype());
  }
  const array y = linear(x, weight_.data, bias_);
  // Half weights beside float32 activations give float32; half activations stay half.
  return astype(y, x.dtype());
}

void Linear::for_each_parameter(const std::string& prefix, Visitor visit) const {
  visit(prefix + "weight", weight_);
  if (bias_) visit(prefix + "bias", Weight(*bias_));
}

Embedding::Embedding(Weight table) : head_(std::move(table)) {}

array Embedding::operator()(const array& ids, Dtype dtype) const {
  const Weight& w = head_.weight();
  if (w.packed) return quantized_embedding(ids, w.data, *w.packed, w.shape[1], dtype);
  if (const auto& g = w.groups) {
    return quantized_embedding(ids, w.data, g->scales, g->biases, g->format, dtype);
  }
  return astype(embedding(ids, w.data), dtype);
}

void Embedding::for_each_parameter(const std::string& prefix, Visitor visit) const {
  head_.for_each_parameter(prefix, visit);
}

}  // namespace tessera::nn

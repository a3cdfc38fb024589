#include "tessera/nn/linear.h"

#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/embedding.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/quantized_matmul.h"
#include "tessera/ops/random.h"

namespace tessera::nn {

namespace {

void check_dims(const char* where, int first, int second) {
  if (first > 0 && second >= 0) return;
  fail(ErrorCode::invalid_argument, where, "cannot be of {} and {} features", first, second);
}

array uniform_within(double bound, const Shape& shape) {
  return random::uniform(-bound, bound, shape);
}

Weight linear_weight(const char* where, int input_dims, int output_dims) {
  check_dims(where, input_dims, output_dims);
  return Weight(uniform_within(std::sqrt(1.0 / input_dims), {output_dims, input_dims}));
}

Weight table(const char* where, int num_embeddings, int dims) {
  check_dims(where, dims, num_embeddings);
  const auto deviation = static_cast<float>(std::sqrt(1.0 / dims));
  return Weight(random::normal({num_embeddings, dims}, float32, 0.0f, deviation));
}

}  // namespace

Linear::Linear(int input_dims, int output_dims, bool bias)
    : weight_(linear_weight("nn::Linear", input_dims, output_dims)) {
  if (bias) bias_ = uniform_within(std::sqrt(1.0 / input_dims), {output_dims});
}

Linear::Linear(Weight weight, std::optional<array> bias)
    : weight_(std::move(weight)), bias_(std::move(bias)) {
  if (weight_.shape.size() != 2) {
    fail(ErrorCode::shape_mismatch, "nn::Linear", "the weight must be [N, K], got {}",
         to_string(weight_.shape));
  }
}

array Linear::operator()(const array& x) const {
  return adapter_ ? (*adapter_)(*this, x) : product(x, bias_);
}

array Linear::product(const array& x, const std::optional<array>& bias) const {
  if (weight_.packed) return quantized_linear(x, weight_.data, *weight_.packed, bias, compute_);
  if (const auto& g = weight_.groups) {
    const array y = quantized_linear(x, weight_.data, g->scales, g->biases, g->format, bias);
    return astype(y, x.dtype());
  }
  const array y = linear(x, weight_.data, bias);
  // Half weights beside float32 activations give float32; half activations stay half.
  return astype(y, x.dtype());
}

void Linear::quantize(const QuantGroups& format) {
  if (is_quantized()) {
    fail(ErrorCode::invalid_argument, "nn::Linear", "the weight is quantised already");
  }
  weight_ = quantized(weight_.data, format);
}

void Linear::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
  if (!adapter_) return;
  members("lora_a", adapter_->lora_a);
  members("lora_b", adapter_->lora_b);
  members("m", adapter_->m);
}

Embedding::Embedding(int num_embeddings, int dims)
    : head_(table("nn::Embedding", num_embeddings, dims)) {}

Embedding::Embedding(Weight table) : head_(std::move(table)) {}

array Embedding::operator()(const array& ids) const {
  const Weight& w = head_.weight();
  if (w.is_dense()) return embedding(ids, w.data);
  const bool floating = w.groups && w.groups->format.has_integer_codes();
  return (*this)(ids, floating ? w.groups->scales.dtype() : float32);
}

array Embedding::operator()(const array& ids, Dtype dtype) const {
  const Weight& w = head_.weight();
  if (w.packed) return quantized_embedding(ids, w.data, *w.packed, w.shape[1], dtype);
  if (const auto& g = w.groups) {
    return quantized_embedding(ids, w.data, g->scales, g->biases, g->format, dtype);
  }
  return astype(embedding(ids, w.data), dtype);
}

QuantizedLinear::QuantizedLinear(int input_dims, int output_dims, bool bias,
                                 std::optional<int> group_size, std::optional<int> bits,
                                 const std::string& mode)
    : Linear(linear_weight("nn::QuantizedLinear", input_dims, output_dims),
             bias ? std::optional(zeros({output_dims})) : std::nullopt) {
  quantize(quant_groups("nn::QuantizedLinear", mode, group_size, bits));
  freeze();
}

QuantizedLinear::QuantizedLinear(const Linear& layer, const QuantGroups& format) : Linear(layer) {
  quantize(format);
}

QuantizedEmbedding::QuantizedEmbedding(int num_embeddings, int dims, std::optional<int> group_size,
                                       std::optional<int> bits, const std::string& mode)
    : Embedding(table("nn::QuantizedEmbedding", num_embeddings, dims)) {
  quantize(quant_groups("nn::QuantizedEmbedding", mode, group_size, bits));
}

QuantizedEmbedding::QuantizedEmbedding(const Embedding& layer, const QuantGroups& format)
    : Embedding(layer) {
  quantize(format);
}

}  // namespace tessera::nn

// Linear and Embedding over dense or quantised weights.
#pragma once

#include <optional>

#include "tessera/nn/low_rank.h"
#include "tessera/nn/module.h"
#include "tessera/nn/quantize.h"
#include "tessera/ops/quantized.h"

namespace tessera::nn {

/// y = x W^T + b.   x [..., K], weight [N, K], bias [N] -> [..., N], dtype of x
class Linear : public Module, public Quantizable {
 public:
  /// weight and bias uniform in +-1 / sqrt(input_dims).   errors  invalid_argument
  Linear(int input_dims, int output_dims, bool bias = true);
  /// errors  shape_mismatch when the weight is no matrix
  explicit Linear(Weight weight, std::optional<array> bias = std::nullopt);

  array operator()(const array& x) const;
  /// Without bias and adapter.
  array product(const array& x) const { return product(x, std::nullopt); }

  const Weight& weight() const { return weight_; }
  void set_weight(Weight weight) { weight_ = std::move(weight); }
  const std::optional<array>& bias() const { return bias_; }
  std::int64_t input_dims() const { return weight_.shape[1]; }
  std::int64_t output_dims() const { return weight_.shape[0]; }
  void set_compute(QuantCompute compute) { compute_ = compute; }

  /// What low-rank fine-tuning (nn/lora.h) adds to the weight; its parameters are "lora_a",
  /// "lora_b" and, for DoRA, "m".
  const std::optional<LowRankAdapter>& adapter() const { return adapter_; }
  void set_adapter(std::optional<LowRankAdapter> adapter) { adapter_ = std::move(adapter); }

  bool is_quantized() const override { return !weight_.is_dense(); }
  void quantize(const QuantGroups& format) override;
  void visit(Members& members) override;

 private:
  array product(const array& x, const std::optional<array>& bias) const;

  Weight weight_;
  std::optional<array> bias_;
  std::optional<LowRankAdapter> adapter_;
  QuantCompute compute_ = QuantCompute::precise;
};

/// Rows of a table.   ids [...] -> [..., D]
class Embedding : public Module, public Quantizable {
 public:
  /// Normal with deviation 1 / sqrt(dims).   errors  invalid_argument
  Embedding(int num_embeddings, int dims);
  explicit Embedding(Weight table);

  /// In the table's dtype, or that of its scales; blocks and float codes give float32.
  array operator()(const array& ids) const;
  /// In `dtype`, whatever the storage.
  array operator()(const array& ids, Dtype dtype) const;
  /// The table as an output layer: x [..., D] -> logits [..., V].
  array as_linear(const array& x) const { return head_(x); }
  const Weight& weight() const { return head_.weight(); }
  void set_compute(QuantCompute compute) { head_.set_compute(compute); }

  bool is_quantized() const override { return head_.is_quantized(); }
  void quantize(const QuantGroups& format) override { head_.quantize(format); }
  void visit(Members& members) override { head_.visit(members); }

 private:
  Linear head_;
};

/// A Linear that is quantised from the start; quantising one in place gives the same.
class QuantizedLinear : public Linear {
 public:
  /// The weight of Linear(input_dims, output_dims), quantised; the bias zeros and frozen.
  /// errors  as quantize() (ops/quantize.h)
  QuantizedLinear(int input_dims, int output_dims, bool bias = true,
                  std::optional<int> group_size = std::nullopt,
                  std::optional<int> bits = std::nullopt, const std::string& mode = "affine");
  QuantizedLinear(const Linear& layer, const QuantGroups& format);
};

/// An Embedding that is quantised from the start.
class QuantizedEmbedding : public Embedding {
 public:
  QuantizedEmbedding(int num_embeddings, int dims, std::optional<int> group_size = std::nullopt,
                     std::optional<int> bits = std::nullopt, const std::string& mode = "affine");
  QuantizedEmbedding(const Embedding& layer, const QuantGroups& format);
};

}  // namespace tessera::nn

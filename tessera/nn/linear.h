// Linear and Embedding over dense or quantised weights.
#pragma once

#include <optional>

#include "tessera/nn/module.h"
#include "tessera/ops/quantized.h"

namespace tessera::nn {

/// y = x W^T + b.   x [..., K], weight [N, K], bias [N] -> [..., N]
class Linear : public Module {
 public:
  /// errors  shape_mismatch when the weight is no matrix
  explicit Linear(Weight weight, std::optional<array> bias = std::nullopt);

  array operator()(const array& x) const;
  const Weight& weight() const { return weight_; }
  void set_compute(QuantCompute compute) { compute_ = compute; }
  void for_each_parameter(const std::string& prefix, Visitor visit) const override;

 private:
  Weight weight_;
  std::optional<array> bias_;
  QuantCompute compute_ = QuantCompute::precise;
};

/// Rows of a table.   ids [...] -> [..., D]
class Embedding : public Module {
 public:
  explicit Embedding(Weight table);

  /// In `dtype`, whatever the storage.
  array operator()(const array& ids, Dtype dtype) const;
  /// The table as an output layer: x [..., D] -> logits [..., V].
  array as_linear(const array& x) const { return head_(x); }
  const Weight& weight() const { return head_.weight(); }
  void set_compute(QuantCompute compute) { head_.set_compute(compute); }
  void for_each_parameter(const std::string& prefix, Visitor visit) const override;

 private:
  Linear head_;
};

}  // namespace tessera::nn

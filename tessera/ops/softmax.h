// Softmax and log-sum-exp.
#pragma once

#include <vector>

#include "tessera/ops/reduce.h"

namespace tessera {

struct Softmax {
  InlineVector<int, 6> axes;
  static constexpr const char* kName = "softmax";
  static constexpr const char* kDoc =
      "exp(x - max) / sum(exp(x - max)) over the axes, in float32 for half types. A row of -inf "
      "gives NaN.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct LogSumExp : ReduceAxes {
  static constexpr const char* kName = "logsumexp";
  static constexpr const char* kDoc =
      "log(sum(exp(x))) over the axes, shifted by the maximum; infinite when the maximum is, -inf "
      "over "
      "nothing (where MLX refuses).";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// precise: accepted for MLX's signature; half types always accumulate in float32 here.
array softmax(const array& a, const std::vector<int>& axes, bool precise = false);
array softmax(const array& a, int axis, bool precise = false);
array softmax(const array& a, bool precise = false);
array logsumexp(const array& a, const std::vector<int>& axes, bool keepdims = false);
array logsumexp(const array& a, int axis, bool keepdims = false);
array logsumexp(const array& a, bool keepdims = false);

}  // namespace tessera

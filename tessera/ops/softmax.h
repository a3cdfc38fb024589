// Softmax and log-sum-exp.
#pragma once

#include <vector>

#include "tessera/ops/reduce.h"

namespace tessera {

struct Softmax {
  InlineVector<int, 6> axes;
  static constexpr const char* kName = "softmax";
  static constexpr const char* kDoc =
      "exp(x - max) / sum(exp(x - max)) over the axes. A row of -inf, or with NaN or +inf, gives "
      "NaN.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "floating -> the same; half types in float32 inside";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Softmax::axes>("over which it sums to 1, in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct LogSumExp : ReduceAxes {
  static constexpr const char* kName = "logsumexp";
  static constexpr const char* kDoc =
      "log(sum(exp(x))), shifted by the maximum; infinite when the maximum is, NaN if any is NaN, "
      "-inf over nothing (where MLX refuses).";
  static constexpr const char* kDtypes = "floating -> the same; half types in float32 inside";
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

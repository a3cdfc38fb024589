// Small numeric functions that several layers share.
#pragma once

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/softmax.h"
#include "tessera/ops/unary.h"

namespace tessera::nn {

/// A weak scalar for an op with `like`: its dtype where that holds such numbers.
template <class T>
array weak(T value, const array& like) {
  return tessera::detail::as_operand(value, like);
}

inline array raised_to(const array& a, double exponent) {
  return tessera::power(a, weak(exponent, a));
}

/// log(exp(a) + exp(b)), also where the exponentials overflow; infinite when either is. Equal
/// operands share the gradient.
inline array log_add_exp(const array& a, const array& b) {
  const Shape shape = broadcast_shapes(a.shape(), b.shape(), "logaddexp");
  return logsumexp(stack({broadcast_to(a, shape), broadcast_to(b, shape)}, -1), -1);
}

/// Variance over the axes, of n - ddof.
inline array variance(const array& x, const std::vector<int>& axes, int ddof = 0) {
  const array apart = x - mean(x, axes, true);
  double n = 1;
  for (int axis : axes) n *= static_cast<double>(x.shape(axis));
  return sum(square(apart), axes) * (1 / (n - ddof));
}

}  // namespace tessera::nn

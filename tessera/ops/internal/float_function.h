// Functions of real numbers that are written with other ops.
#pragma once

#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"

namespace tessera::detail {

/// A rank-0 array of `like`'s dtype on its backend.
inline array constant(double value, const array& like) {
  return scalar(value, like.dtype(), like.backend());
}

/// fn(a) computed in at least float32, so that half types round once; integers and bool give
/// float32, other dtypes stay.
template <class Fn>
array float_function(const array& a, Fn fn) {
  const Dtype dtype = at_least_float(a.dtype());
  return astype(fn(astype(a, promote_types(dtype, float32))), dtype);
}

/// The same for two inputs that are promoted together.
template <class Fn>
array float_function(const array& a, const array& b, Fn fn) {
  const Dtype dtype = at_least_float(promote_types(a.dtype(), b.dtype()));
  const Dtype wide = promote_types(dtype, float32);
  return astype(fn(astype(a, wide), astype(b, wide)), dtype);
}

}  // namespace tessera::detail

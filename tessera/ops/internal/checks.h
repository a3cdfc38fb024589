// Checks and dtype rules that several op files share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/ir/array.h"

namespace tessera::detail {

/// "float32 [2, 3]", for messages.
std::string describe(const array& a);

/// errors  invalid_argument when the op got another number of inputs
void check_count(const char* op, std::span<const array> in, std::size_t least, std::size_t most);
/// errors  unsupported_dtype unless floating
void check_floating(const char* op, const array& a);
/// errors  shape_mismatch unless rank >= least
void check_rank(const char* op, const array& a, std::size_t least);

/// float32 for integers and bool, the dtype itself otherwise: what float-valued ops compute in.
Dtype at_least_float(Dtype dtype);

/// A scalar operand beside `like`: it takes like's dtype, but a float beside an integer is float32.
template <class T>
array weak_scalar(T value, const array& like) {
  const bool float_beside_integer =
      std::is_floating_point_v<T> && !issubdtype(like.dtype(), Dtype::Category::inexact);
  return array(value, float_beside_integer ? float32 : like.dtype());
}

}  // namespace tessera::detail

// Running totals along an axis.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct CumSum {
  int axis = 0;
  bool reverse = false;   ///< sums what follows instead of what precedes
  bool inclusive = true;  ///< the element itself is part of its sum
  static constexpr const char* kName = "cumsum";
  static constexpr const char* kDoc =
      "Running sum along an axis in the input's dtype: integers wrap, float16 and bfloat16 add in "
      "float32. Not for bool, which cumsum() casts to int32.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

/// Over the flattened array, or along an axis. The dtype stays, except that bool gives int32; cast
/// narrow integers first if their sums may leave their range.   errors  invalid_argument
array cumsum(const array& a, bool reverse = false, bool inclusive = true);
array cumsum(const array& a, int axis, bool reverse = false, bool inclusive = true);

}  // namespace tessera

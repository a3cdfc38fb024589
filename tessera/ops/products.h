// Products of whole arrays that are sums or tables of elementwise ones.
#pragma once

#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// Every element of a times every element of b, both flattened: [size of a, size of b].
array outer(const array& a, const array& b);
/// Sums over the last axis of both: [axes of a but its last, axes of b but its last]. A scalar
/// multiplies.   errors  shape_mismatch, unsupported_dtype for integers
array inner(const array& a, const array& b);
/// Sums of conjugate(a) * b over an axis, the others broadcast; half types in float32.   errors
/// shape_mismatch
array vecdot(const array& a, const array& b, int axis = -1);

/// Sums over the last `axis` axes of a with the first ones of b, or over pairs of axes; what is
/// left of a, then of b.   errors  shape_mismatch, invalid_argument, unsupported_dtype for integers
array tensordot(const array& a, const array& b, int axis = 2);
array tensordot(const array& a, const array& b, const std::vector<int>& axes_a,
                const std::vector<int>& axes_b);

/// Kronecker's product: each element of a times the whole of b, in its place.
array kron(const array& a, const array& b);

}  // namespace tessera

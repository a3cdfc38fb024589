// Diagonals: matrices made of them, parts taken beside them.
#pragma once

#include "tessera/ir/array.h"

namespace tessera {

/// Ones on diagonal k (0 the main one, positive above it) of an [n, m] matrix of zeros.
/// errors  invalid_argument for negative sizes
array eye(int n, int m, int k, Dtype dtype = float32);
array eye(int n, Dtype dtype = float32);
array eye(int n, int m);
array identity(int n, Dtype dtype = float32);

/// Ones on diagonal k and below it.   errors  invalid_argument for negative sizes
array tri(int n, int m, int k, Dtype dtype);
array tri(int n, Dtype dtype = float32);
/// The last two axes with zeros above (below) diagonal k.   errors  shape_mismatch below rank 2
array tril(const array& x, int k = 0);
array triu(const array& x, int k = 0);

/// The diagonal of two axes, as a last axis of the result; a view of the size it has, also 0.
/// errors  shape_mismatch below rank 2, invalid_argument
array diagonal(const array& a, int offset = 0, int axis1 = 0, int axis2 = 1);
/// Of a matrix its diagonal k; of a vector the matrix that has it there.
/// errors  shape_mismatch for other ranks
array diag(const array& a, int k = 0);
/// The sum of diagonal(), in the dtype that sum() gives, or in dtype.
array trace(const array& a, int offset, int axis1, int axis2, Dtype dtype);
array trace(const array& a, int offset = 0, int axis1 = 0, int axis2 = 1);

}  // namespace tessera

// The Walsh-Hadamard transform: sums and differences of all elements, without a multiplication.
#pragma once

#include <optional>

#include "tessera/ir/array.h"

namespace tessera {

/// a [..., N] times a Hadamard matrix of N rows, N = m 2^k with m in {1, 12, 20, 28}, times scale
/// (1 / sqrt(N) when left out). In float32 for half types; integers and bool go to float32 first.
/// source  the matrices of 12, 20 and 28 rows: N. J. A. Sloane, A Library of Hadamard Matrices
/// errors  invalid_argument for another N
array hadamard_transform(const array& a, std::optional<float> scale = std::nullopt);

}  // namespace tessera

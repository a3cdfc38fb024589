// Matrix products of which only parts count: masked blocks, segments of the inner axis.
#pragma once

#include <optional>

#include "tessera/ir/array.h"

namespace tessera {

/// a [..., M, K] x b [..., K, N] in blocks of block_size x block_size (32 or 64): mask_lhs
/// [..., ceil(M / block), ceil(K / block)] and mask_rhs [..., ceil(K / block), ceil(N / block)] say
/// which blocks of the inputs count, mask_out [..., ceil(M / block), ceil(N / block)] which of the
/// result. A bool mask keeps or gives 0, another is multiplied.
/// errors  invalid_argument, shape_mismatch, unsupported_dtype unless floating
array block_masked_mm(const array& a, const array& b, int block_size,
                      const std::optional<array>& mask_out = std::nullopt,
                      const std::optional<array>& mask_lhs = std::nullopt,
                      const std::optional<array>& mask_rhs = std::nullopt);

/// a [M, K] x b [K, N] over the part [start, end) of K that each of segments [..., 2] (integers)
/// names: [..., M, N]. What is outside [0, K] adds nothing (MLX reads past the end).
/// errors  shape_mismatch, unsupported_dtype
array segmented_mm(const array& a, const array& b, const array& segments);

}  // namespace tessera

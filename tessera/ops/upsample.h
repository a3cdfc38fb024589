// Resizing the spatial axes of [N, space..., C] by factors, as mlx.nn.Upsample does.
#pragma once

#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// scale_factor  one per spatial axis, positive; an axis of size L becomes floor(scale * L)
/// align_corners the first and last element stay at the ends; otherwise elements are areas whose
///               outer edges stay
/// antialias     when shrinking, the filter widens by 1 / scale; not with align_corners
/// returns       nearest: dtype of x; the others: x's promoted with float32 (as in MLX, so float16
///               gives float32)
/// errors        shape_mismatch, invalid_argument
///
/// MLX raises for a nearest result without elements; here it is empty.
array upsample_nearest(const array& x, const std::vector<double>& scale_factor);
array upsample_linear(const array& x, const std::vector<double>& scale_factor,
                      bool align_corners = false, bool antialias = false);
/// Cubic convolution with a = -0.75, borders repeated; with antialias a = -0.5, borders left out.
/// source  R. G. Keys, Cubic convolution interpolation for digital image processing, 1981
array upsample_cubic(const array& x, const std::vector<double>& scale_factor,
                     bool align_corners = false, bool antialias = false);

}  // namespace tessera

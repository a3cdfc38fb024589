// Between the library's shapes and dtypes and MLX's.
#pragma once

#include <mlx/array.h>

#include <vector>

#include "tessera/core/dtype.h"
#include "tessera/core/shape.h"

namespace tessera::mlx_backend {

namespace mx = mlx::core;

/// errors  invalid_argument for a size past 2^31 - 1, the most MLX can hold
mx::Shape to_mlx(const Shape& shape);
Shape from_mlx(const mx::Shape& shape);

mx::Dtype to_mlx(Dtype dtype);
Dtype from_mlx(mx::Dtype dtype);

inline std::vector<int> to_ints(const InlineVector<int, 6>& axes) {
  return std::vector<int>(axes.begin(), axes.end());
}
/// errors  as to_mlx of a shape
std::vector<int> to_ints(const Shape& sizes);

}  // namespace tessera::mlx_backend

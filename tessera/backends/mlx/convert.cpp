#include "tessera/backends/mlx/internal/convert.h"

#include <limits>

#include "tessera/core/internal/fail.h"

namespace tessera::mlx_backend {

namespace {

std::int32_t narrow(ShapeElem size) {
  if (size > std::numeric_limits<std::int32_t>::max() ||
      size < std::numeric_limits<std::int32_t>::min()) {
    fail(ErrorCode::invalid_argument, "mlx", "MLX's sizes end at 2^31 - 1, got {}", size);
  }
  return static_cast<std::int32_t>(size);
}

}  // namespace

mx::Shape to_mlx(const Shape& shape) {
  mx::Shape out(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) out[i] = narrow(shape[i]);
  return out;
}

std::vector<int> to_ints(const Shape& sizes) {
  std::vector<int> out;
  for (const ShapeElem size : sizes) out.push_back(narrow(size));
  return out;
}

Shape from_mlx(const mx::Shape& shape) {
  return Shape(shape.begin(), shape.end());
}

// Both enumerate MLX's dtypes; the names are compared once, by the compiler.
mx::Dtype to_mlx(Dtype dtype) {
  using From = Dtype::Val;
  using To = mx::Dtype::Val;
  static_assert(int(From::bool_) == int(To::bool_) && int(From::uint8) == int(To::uint8) &&
                int(From::uint16) == int(To::uint16) && int(From::uint32) == int(To::uint32) &&
                int(From::uint64) == int(To::uint64) && int(From::int8) == int(To::int8) &&
                int(From::int16) == int(To::int16) && int(From::int32) == int(To::int32) &&
                int(From::int64) == int(To::int64) && int(From::float16) == int(To::float16) &&
                int(From::float32) == int(To::float32) && int(From::float64) == int(To::float64) &&
                int(From::bfloat16) == int(To::bfloat16) &&
                int(From::complex64) == int(To::complex64));
  return mx::Dtype(static_cast<To>(dtype.val()), dtype.size());
}

Dtype from_mlx(mx::Dtype dtype) {
  return Dtype(static_cast<Dtype::Val>(dtype.val()), dtype.size());
}

}  // namespace tessera::mlx_backend

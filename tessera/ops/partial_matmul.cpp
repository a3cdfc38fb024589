#include "tessera/ops/partial_matmul.h"

#include "tessera/ops/arrange.h"
#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

// x with the blocks of its last two axes that the mask says.
array masked(const array& x, const std::optional<array>& mask, int block) {
  if (!mask) return x;
  const ShapeElem rows = x.shape(-2), columns = x.shape(-1);
  if (mask->ndim() < 2 || mask->shape(-2) != (rows + block - 1) / block ||
      mask->shape(-1) != (columns + block - 1) / block) {
    fail(ErrorCode::shape_mismatch, "block_masked_mm", "a mask {} for {} in blocks of {}",
         detail::describe(*mask), detail::describe(x), block);
  }
  const array spread = repeat(repeat(*mask, block, -2), block, -1);
  Shape stop = spread.shape();
  stop[stop.size() - 2] = rows;
  stop[stop.size() - 1] = columns;
  const array fitted = slice(spread, Shape(stop.size(), 0), stop);
  if (mask->dtype() != bool_) return x * astype(fitted, x.dtype());
  return where(fitted, x, detail::scalar(0, x.dtype(), x.backend()));
}

}  // namespace

array block_masked_mm(const array& a, const array& b, int block_size,
                      const std::optional<array>& mask_out, const std::optional<array>& mask_lhs,
                      const std::optional<array>& mask_rhs) {
  if (block_size != 32 && block_size != 64) {
    fail(ErrorCode::invalid_argument, "block_masked_mm", "block_size {} is neither 32 nor 64",
         block_size);
  }
  detail::check_rank("block_masked_mm", a, 2);
  detail::check_rank("block_masked_mm", b, 2);
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  bool scales = false;
  for (const std::optional<array>& mask : {mask_out, mask_lhs, mask_rhs}) {
    scales = scales || (mask && mask->dtype() != bool_);
  }
  // Scaled half types would be rounded before they are multiplied.
  const Dtype wide = scales ? promote_types(dtype, float32) : dtype;
  const array left = masked(astype(a, wide), mask_lhs, block_size);
  const array right = masked(astype(b, wide), mask_rhs, block_size);
  return astype(masked(matmul(left, right), mask_out, block_size), dtype);
}

array segmented_mm(const array& a, const array& b, const array& segments) {
  constexpr const char* kOp = "segmented_mm";
  if (a.ndim() != 2 || b.ndim() != 2 || a.shape(1) != b.shape(0)) {
    fail(ErrorCode::shape_mismatch, kOp, "{} x {} is no product of two matrices",
         detail::describe(a), detail::describe(b));
  }
  if (!is_integer(segments.dtype())) {
    fail(ErrorCode::unsupported_dtype, kOp, "segments must be integers, got {}",
         detail::describe(segments));
  }
  if (segments.ndim() == 0 || segments.shape(-1) != 2) {
    fail(ErrorCode::shape_mismatch, kOp, "segments must be [..., 2], got {}",
         detail::describe(segments));
  }
  const std::vector<array> ends = split(astype(segments, int64), 2, -1);  // [..., 1] each
  const array place = detail::count_up(a.shape(1), a.backend());
  const array inside = expand_dims(place >= ends[0] && place < ends[1], -2);  // [..., 1, K]
  return matmul(where(inside, a, detail::scalar(0, a.dtype(), a.backend())), b);
}

}  // namespace tessera

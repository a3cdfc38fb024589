#include "tessera/core/shape.h"

#include "tessera/core/internal/fail.h"

namespace tessera {

std::int64_t num_elements(const Shape& shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (ShapeElem size : shape) {
    if (size < 0) {
      fail(ErrorCode::invalid_argument, "shape", "negative size in {}", to_string(shape));
    }
    empty |= size == 0;
    // A zero elsewhere makes the product 0, but an overflow before it would already be a lie.
    if (size != 0 && __builtin_mul_overflow(count, size, &count)) {
      fail(ErrorCode::invalid_argument, "shape", "{} has more than 2^63 - 1 elements",
           to_string(shape));
    }
  }
  return empty ? 0 : count;
}

Strides row_major_strides(const Shape& shape) {
  Strides strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* where) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    ShapeElem& size = out[offset + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) {
      fail(ErrorCode::shape_mismatch, where,
           "shapes {} and {} cannot be broadcast: sizes must be equal or 1, aligned from the right",
           to_string(a), to_string(b));
    }
    size = shorter[i];
  }
  return out;
}

int normalize_axis(int axis, std::size_t rank, const char* where) {
  const int n = static_cast<int>(rank);
  if (axis < -n || axis >= n) {
    fail(ErrorCode::invalid_argument, where, "axis {} is out of range for an array of rank {}",
         axis, rank);
  }
  return axis < 0 ? axis + n : axis;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

}  // namespace tessera

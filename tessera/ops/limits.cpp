#include "tessera/ops/internal/limits.h"

#include <cmath>
#include <limits>

#include "tessera/ops/internal/checks.h"

namespace tessera::detail {

namespace {

void check_ordered(Dtype dtype) {
  if (issubdtype(dtype, Dtype::Category::complexfloating)) {
    fail(ErrorCode::unsupported_dtype, "limits", "{} has no smallest and no largest",
         to_string(dtype));
  }
}

// 2 to the number of bits that hold an integer's magnitude.
double past_the_end(Dtype dtype) {
  const bool sign = issubdtype(dtype, Dtype::Category::signedinteger);
  return std::ldexp(1.0, dtype.size() * 8 - (sign ? 1 : 0));
}

}  // namespace

array lowest(Dtype dtype, const BackendPtr& backend) {
  check_ordered(dtype);
  double value = 0;  // of bool and the unsigned
  if (is_floating(dtype)) value = -std::numeric_limits<double>::infinity();
  if (issubdtype(dtype, Dtype::Category::signedinteger)) value = -past_the_end(dtype);
  return scalar(value, dtype, backend);
}

array highest(Dtype dtype, const BackendPtr& backend) {
  check_ordered(dtype);
  if (is_floating(dtype)) return scalar(std::numeric_limits<double>::infinity(), dtype, backend);
  if (dtype == bool_) return scalar(1, dtype, backend);
  if (dtype == int64) {  // no double holds it
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return array(HostTensor::from(std::span<const std::int64_t>(&most, 1), Shape{}), backend);
  }
  if (dtype == uint64) return scalar(-1, dtype, backend);  // all bits set
  return scalar(past_the_end(dtype) - 1, dtype, backend);
}

}  // namespace tessera::detail

#include "tessera/ops/internal/checks.h"

namespace tessera::detail {

std::string describe(const array& a) {
  return fmt::format("{} {}", to_string(a.dtype()), to_string(a.shape()));
}

void check_count(const char* op, std::span<const array> in, std::size_t least, std::size_t most) {
  if (in.size() < least || in.size() > most) {
    fail(ErrorCode::invalid_argument, op, "takes {} to {} inputs, got {}", least, most, in.size());
  }
}

void check_floating(const char* op, const array& a) {
  if (!is_floating(a.dtype())) {
    fail(ErrorCode::unsupported_dtype, op, "needs a floating dtype, got {}; cast with astype first",
         describe(a));
  }
}

void check_rank(const char* op, const array& a, std::size_t least) {
  if (a.ndim() < least) {
    fail(ErrorCode::shape_mismatch, op, "needs at least {} dimensions, got {}", least, describe(a));
  }
}

Dtype at_least_float(Dtype dtype) {
  return issubdtype(dtype, Dtype::Category::inexact) ? dtype : float32;
}

}  // namespace tessera::detail

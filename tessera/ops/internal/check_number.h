// Attributes that must be numbers.
#pragma once

#include <cmath>

#include "tessera/core/internal/fail.h"

namespace tessera::detail {

/// errors  invalid_argument for NaN
inline void check_number(const char* op, const char* attribute, double value) {
  if (std::isnan(value)) {
    fail(ErrorCode::invalid_argument, op, "{} is NaN, not a number", attribute);
  }
}

}  // namespace tessera::detail

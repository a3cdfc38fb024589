// How far from MLX's value a result may be.
#pragma once

#include <string>

#include "tessera/conformance/internal/compare.h"

namespace tessera::conformance {

/// For results of `dtype` of the op; exact equality for an op that has no row in the table.
Tolerance tolerance_of(const std::string& op, Dtype dtype);

}  // namespace tessera::conformance

// The ends of a dtype's range: where a running maximum or minimum starts.
#pragma once

#include "tessera/ir/array.h"

namespace tessera::detail {

/// A rank-0 array no element is below (above): an infinity for floating dtypes.
/// errors  unsupported_dtype for complex, which has no ends
array lowest(Dtype dtype, const BackendPtr& backend = nullptr);
array highest(Dtype dtype, const BackendPtr& backend = nullptr);

}  // namespace tessera::detail

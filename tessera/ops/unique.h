// The distinct elements of an array.
#pragma once

#include <optional>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// {values [size] ascending, and in this order if asked for: index [size] (uint32) of each one's
/// first place in the flattened array, inverse (uint32, a's shape) of each element's place among
/// the values, counts [size] (int32)}. The size is given, so that the array need not be known: what
/// is too many is left out (inverse then says the last place), what is missing is `fill_value` or
/// the least value, with the least value's index and a count of 0. NaN equals nothing: every one
/// counts.
/// errors  invalid_argument for a negative size, or nothing to fill an empty array's values with;
///         unsupported_dtype for complex
std::vector<array> unique(const array& a, int size, bool return_index = false,
                          bool return_inverse = false, bool return_counts = false,
                          const std::optional<array>& fill_value = std::nullopt);

}  // namespace tessera

// Spread and counts over axes.
#pragma once

#include <tuple>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera {

/// Mean square distance from the mean over all axes, several or one, divided by count - ddof
/// instead of count; infinite or NaN when that is not positive. Integers go to float32 first, half
/// types compute in float32; of complex64, float32.   errors  invalid_argument
array var(const array& a, bool keepdims = false, int ddof = 0);
array var(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0);
array var(const array& a, int axis, bool keepdims = false, int ddof = 0);
/// Its square root.
array std(const array& a, bool keepdims = false, int ddof = 0);
array std(const array& a, const std::vector<int>& axes, bool keepdims = false, int ddof = 0);
array std(const array& a, int axis, bool keepdims = false, int ddof = 0);

/// How many elements are not 0: int32.
array count_nonzero(const array& a, bool keepdims = false);
array count_nonzero(const array& a, const std::vector<int>& axes, bool keepdims = false);
array count_nonzero(const array& a, int axis, bool keepdims = false);

/// {min, max}.   errors  invalid_argument for an empty axis
std::tuple<array, array> minmax(const array& a, bool keepdims = false);
std::tuple<array, array> minmax(const array& a, const std::vector<int>& axes,
                                bool keepdims = false);
std::tuple<array, array> minmax(const array& a, int axis, bool keepdims = false);

}  // namespace tessera

// Sorting with elementwise ops alone: what sort and its kin are lowered to.
#pragma once

#include "tessera/ir/array.h"

namespace tessera::detail {

/// Elementwise: whether a comes before b in the order of sort.h (NaN after everything else).
array is_before(const array& a, const array& b);

struct SortedPair {
  array values;
  array indices;  // uint32
};

/// Along an axis, stably. O(n log^2 n) elements of work, O(n) of memory: each step is a handful of
/// ops over all elements.   source  K. E. Batcher, Sorting networks and their applications, 1968
SortedPair sort_network(const array& a, int axis);

}  // namespace tessera::detail

// Index arrays on the host: read, checked against the axis they index, and turned into places.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/backends/cpu/kernel.h"

namespace tessera::cpu {

/// Indices in row-major order as int64 in [0, size - slice], negative ones counted from the end of
/// an axis of `size`.   errors  invalid_argument naming the first one out of range
std::vector<std::int64_t> read_indices(const Context& ctx, const char* op, const TensorPtr& t,
                                       std::int64_t size, std::int64_t slice = 1);

/// Where slices of a row-major array start, in elements: one offset per position of the index
/// arrays, which belong to `axes`.   errors  as read_indices
std::vector<std::int64_t> slice_starts(const Context& ctx, const char* op, const Shape& shape,
                                       Inputs indices, const InlineVector<int, 6>& axes,
                                       const Shape& slice_sizes);

/// A slice of a row-major array as runs without gaps, all of one length.
struct SliceRuns {
  SliceRuns(const Shape& shape, const Shape& slice_sizes);
  std::int64_t length = 1;
  std::vector<std::int64_t> starts;  ///< from the slice's own start, in row-major order
  std::int64_t size() const { return length * static_cast<std::int64_t>(starts.size()); }
};

}  // namespace tessera::cpu

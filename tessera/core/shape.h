// Shapes, strides and axes. Sizes are 64-bit everywhere; strides count elements, not bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tessera/core/inline_vector.h"

namespace tessera {

using ShapeElem = std::int64_t;
using Shape = InlineVector<ShapeElem, 6>;
using Strides = InlineVector<std::int64_t, 6>;

/// Number of elements: 1 for rank 0, 0 when any size is 0.
/// errors  invalid_argument for a negative size or a product past 2^63 - 1
std::int64_t num_elements(const Shape& shape);

/// Strides of a row-major array without gaps.
Strides row_major_strides(const Shape& shape);

/// NumPy broadcasting of two shapes.  where: the op's name for the message
/// errors  shape_mismatch naming both shapes
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* where);

/// An axis in [-rank, rank) as one in [0, rank).
/// errors  invalid_argument naming the axis and the rank
int normalize_axis(int axis, std::size_t rank, const char* where);

/// "[2, 3]"; "[]" for rank 0.
std::string to_string(const Shape& shape);

}  // namespace tessera

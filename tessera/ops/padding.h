// pad() with MLX's other argument lists; shape.h has the general one.
//
// Besides "constant" there are three modes that take from the array: "edge" repeats its ends,
// "reflect" mirrors it about the middle of each end, "symmetric" about its outside.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ops/shape.h"

namespace tessera {

/// low_pad_size, high_pad_size: elements before and after, one of each for each of `axes`.
/// pad_value: a scalar, zero on a's backend unless given.
/// errors  invalid_argument, shape_mismatch
array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size,
          const Shape& high_pad_size, const std::optional<array>& pad_value = std::nullopt,
          const std::string& mode = "constant");
/// The same widths on every axis.
array pad(const array& a, const std::pair<int, int>& pad_width,
          const std::optional<array>& pad_value = std::nullopt,
          const std::string& mode = "constant");
array pad(const array& a, int pad_width, const std::optional<array>& pad_value = std::nullopt,
          const std::string& mode = "constant");
/// A list in braces has a pair per axis.
array pad(const array& a, std::initializer_list<std::pair<int, int>> pad_width,
          const array& pad_value, const std::string& mode = "constant");
array pad(const array& a, std::initializer_list<std::pair<int, int>> pad_width);

}  // namespace tessera

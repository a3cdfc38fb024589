// Spatial: an integer for each spatial axis, from one for all or from a list.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "tessera/core/error.h"
#include "tessera/core/shape.h"

namespace tessera::nn {

/// Spatial<2> of 3 is {3, 3}; of {3, 5} it is itself.
template <int kAxes>
class Spatial {
 public:
  Spatial(int all) { values_.fill(all); }  // NOLINT: `.stride = 2` should do
  /// errors  invalid_argument unless one value, or one per axis
  Spatial(std::initializer_list<int> values) {  // NOLINT: likewise
    if (values.size() == 1) {
      values_.fill(*values.begin());
    } else if (values.size() == kAxes) {
      std::copy(values.begin(), values.end(), values_.begin());
    } else {
      throw Error(
          ErrorCode::invalid_argument, "nn::Spatial",
          "needs 1 or " + std::to_string(kAxes) + " values, got " + std::to_string(values.size()));
    }
  }

  int operator[](std::size_t axis) const { return values_[axis]; }
  std::vector<int> list() const { return {values_.begin(), values_.end()}; }
  Shape shape() const { return Shape(values_.begin(), values_.end()); }

 private:
  std::array<int, kAxes> values_;
};

}  // namespace tessera::nn

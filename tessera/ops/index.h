// Choosing elements: by index and by condition.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Take {
  int axis = 0;
  static constexpr const char* kName = "take";
  static constexpr const char* kDoc =
      "Slices of the first input along an axis, at integer indices; negative ones count from the "
      "end, an index out of range is an error when it runs.";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Select {
  static constexpr const char* kName = "where";
  static constexpr const char* kDoc = "condition ? x : y, the three broadcast together.";
  TensorSpec infer(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
  void vjp(Vjp& v) const;
};

struct TakeAlongAxis {
  int axis = 0;
  static constexpr const char* kName = "take_along_axis";
  static constexpr const char* kDoc =
      "out[.., i, ..] = x[.., index[.., i, ..], ..]: one index per element, shapes equal off the "
      "axis. Negative indices count from the end; one out of range is an error when it runs.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Gather {
  InlineVector<int, 6> axes;  ///< the axis of each index array
  Shape slice_sizes;          ///< one per axis of the first input
  static constexpr const char* kName = "gather";
  static constexpr const char* kDoc =
      "A slice of the first input per position of the index arrays, which say where it starts on "
      "their axes (0 on the others): [index shape..., slice sizes...]. Negative indices count from "
      "the end; a slice that leaves the array is an error when it runs.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// indices: any integer dtype and shape; the axis is replaced by that shape.
array take(const array& a, const array& indices, int axis);
/// Of the flattened array.
array take(const array& a, const array& indices);
/// indices: integers, of a's rank; off the axis the two broadcast together. An argsort's result
/// sorts this way.   errors  shape_mismatch, unsupported_dtype, invalid_argument
array take_along_axis(const array& a, const array& indices, int axis);
/// indices: integers, broadcast together, one array for each of `axes`; slice_sizes: one per axis
/// of a, at most a's.   returns  [index shape..., slice_sizes...] errors  shape_mismatch,
/// unsupported_dtype, invalid_argument
array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes,
             const Shape& slice_sizes);
array gather(const array& a, const array& indices, int axis, const Shape& slice_sizes);
/// x and y are promoted together.
array where(const array& condition, const array& x, const array& y);

}  // namespace tessera

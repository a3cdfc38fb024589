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
  static constexpr const char* kShapes =
      "x [...], indices [I...] -> x with the axis replaced by I...";
  static constexpr const char* kDtypes = "x any, indices integer -> dtype of x";
  static constexpr auto kAttributes = std::tuple(attribute<&Take::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Select {
  static constexpr const char* kName = "where";
  static constexpr const char* kDoc = "condition ? x : y, the three broadcast together.";
  static constexpr const char* kShapes = "condition, x, y broadcast together -> that shape";
  static constexpr const char* kDtypes = "condition bool; x, y of one dtype, any -> the same";
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
  static constexpr const char* kShapes =
      "x [...], indices equal to x off the axis -> shape of the indices";
  static constexpr const char* kDtypes = "x any, indices integer -> dtype of x";
  static constexpr auto kAttributes = std::tuple(attribute<&TakeAlongAxis::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Gather {
  InlineVector<int, 6> axes;
  Shape slice_sizes;
  static constexpr const char* kName = "gather";
  static constexpr const char* kDoc =
      "A slice of x per position of the index arrays, which say where it starts on their axes (0 "
      "on the others). Negative indices count from the end; a slice that leaves the array is an "
      "error when it runs.";
  static constexpr const char* kShapes = "x [...], index arrays [I...] -> [I..., slice_sizes...]";
  static constexpr const char* kDtypes = "x any, indices integer -> dtype of x";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Gather::axes>("the axis of each index array"),
                 attribute<&Gather::slice_sizes>("one per axis of x, at most its size"));
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

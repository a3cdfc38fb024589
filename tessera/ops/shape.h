// Ops that move elements without computing: reshape, transpose, broadcast, slice, join, pad.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Reshape {
  Shape shape;
  static constexpr const char* kName = "reshape";
  static constexpr const char* kDoc = "The same elements in row-major order under another shape.";
  static constexpr const char* kShapes = "x [...] -> shape, of as many elements";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes = std::tuple(attribute<&Reshape::shape>("of the result"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Transpose {
  InlineVector<int, 6> axes;
  static constexpr const char* kName = "transpose";
  static constexpr const char* kDoc = "Axes permuted: output axis i is input axis axes[i].";
  static constexpr const char* kShapes = "x of rank n -> x with its axes in another order";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Transpose::axes>("a permutation of 0 to rank - 1"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Broadcast {
  Shape shape;
  static constexpr const char* kName = "broadcast_to";
  static constexpr const char* kDoc = "Axes of size 1 repeated, NumPy's rules.";
  static constexpr const char* kShapes = "x [...] -> shape";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Broadcast::shape>("of the result; x broadcasts to it"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Slice {
  Shape start, stop, strides;
  static constexpr const char* kName = "slice";
  static constexpr const char* kDoc =
      "Elements start, start + stride, ... before stop, per axis; a negative stride walks down.";
  static constexpr const char* kShapes =
      "x [...] -> one size per axis, ceil((stop - start) / stride)";
  static constexpr const char* kDtypes = "any -> the same";
  static constexpr auto kAttributes = std::tuple(
      attribute<&Slice::start>("first element, one per axis, in [0, size]"),
      attribute<&Slice::stop>(
          "where it ends, exclusive; -1 is before the first element when a stride is negative"),
      attribute<&Slice::strides>("distance of elements, not 0"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct SliceUpdate {
  Shape start, stop, strides;
  static constexpr const char* kName = "slice_update";
  static constexpr const char* kDoc =
      "The first input with the slice replaced by the second; in place when nobody else needs it.";
  static constexpr const char* kShapes = "x [...], update [slice] -> x";
  static constexpr const char* kDtypes = "x and update of one dtype, any -> the same";
  static constexpr auto kAttributes = std::tuple(
      attribute<&SliceUpdate::start>("first element, one per axis, in [0, size]"),
      attribute<&SliceUpdate::stop>(
          "where it ends, exclusive; -1 is before the first element when a stride is negative"),
      attribute<&SliceUpdate::strides>("distance of elements, not 0"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Concatenate {
  int axis = 0;
  static constexpr const char* kName = "concatenate";
  static constexpr const char* kDoc = "Inputs joined along an axis.";
  static constexpr const char* kShapes =
      "one or more arrays, equal off the axis -> their sizes added on it";
  static constexpr const char* kDtypes = "one dtype, any -> the same";
  static constexpr auto kAttributes = std::tuple(attribute<&Concatenate::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Pad {
  Shape low, high;
  static constexpr const char* kName = "pad";
  static constexpr const char* kDoc = "The second input (a scalar) around the first.";
  static constexpr const char* kShapes = "x [...], value [] -> low + size + high per axis";
  static constexpr const char* kDtypes = "x and value of one dtype, any -> the same";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Pad::low>("elements before, one per axis, at least 0"),
                 attribute<&Pad::high>("elements after"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// One size may be -1: it takes what the others leave.   errors  shape_mismatch, invalid_argument
array reshape(const array& a, Shape shape);
/// Axes reversed when none are given.
array transpose(const array& a, std::vector<int> axes);
array transpose(const array& a);
array swapaxes(const array& a, int axis1, int axis2);
array expand_dims(const array& a, int axis);
/// errors  invalid_argument when the axis is not of size 1
array squeeze(const array& a, int axis);
array broadcast_to(const array& a, const Shape& shape);

/// NumPy's slice per axis: negative bounds count from the end and are then clamped.
array slice(const array& a, Shape start, Shape stop, Shape strides);
array slice(const array& a, Shape start, Shape stop);
array slice_update(const array& a, const array& update, Shape start, Shape stop, Shape strides);
array slice_update(const array& a, const array& update, Shape start, Shape stop);

/// Dtypes are promoted together.   errors  shape_mismatch
array concatenate(std::vector<array> arrays, int axis = 0);
array stack(const std::vector<array>& arrays, int axis = 0);
/// Equal parts along an axis.   errors  invalid_argument unless they come out even
std::vector<array> split(const array& a, int parts, int axis = 0);
/// width: elements before and after, per axis. mode: "constant" puts `value` (a scalar) there,
/// "edge" repeats the nearest element.   errors  invalid_argument, shape_mismatch
array pad(const array& a, const std::vector<std::pair<int, int>>& width, const array& value,
          const std::string& mode = "constant");
array pad(const array& a, const std::vector<std::pair<int, int>>& width);

}  // namespace tessera

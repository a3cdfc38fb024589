// Putting elements in order, and searching in an order.
//
// All ops here share one order: ascending, equal elements as they were (0 equals -0), NaN after
// everything else and equal to NaN.
#pragma once

#include <string>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Sort {
  int axis = 0;
  static constexpr const char* kName = "sort";
  static constexpr const char* kDoc =
      "Ascending along an axis; stable, so that -0 and 0 keep their order; NaN last.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "real -> the same";
  static constexpr auto kAttributes = std::tuple(attribute<&Sort::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct ArgSort {
  int axis = 0;
  static constexpr const char* kName = "argsort";
  static constexpr const char* kDoc =
      "Indices that sort along an axis: the lower index first on ties, NaN last.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "real -> uint32";
  static constexpr auto kAttributes = std::tuple(attribute<&ArgSort::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct Partition {
  ShapeElem kth = 0;
  int axis = 0;
  static constexpr const char* kName = "partition";
  static constexpr const char* kDoc =
      "The elements along an axis with the one at kth where a sort would put it, none greater "
      "before it and none smaller after it; both sides in an order that is left open, NaN counting "
      "as the greatest.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "real -> the same";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Partition::kth>("in [0, size of the axis)"),
                 attribute<&Partition::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct ArgPartition {
  ShapeElem kth = 0;
  int axis = 0;
  static constexpr const char* kName = "argpartition";
  static constexpr const char* kDoc =
      "Indices that partition along an axis: those before kth and those after it are the ones that "
      "argsort has there, in an order that is left open.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "real -> uint32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ArgPartition::kth>("in [0, size of the axis)"),
                 attribute<&ArgPartition::axis>("in [0, rank)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct SearchSorted {
  bool right = false;
  static constexpr const char* kName = "searchsorted";
  static constexpr const char* kDoc =
      "How many of the sorted elements are before each value: smaller, or, from the right, not "
      "greater. NaN after everything else. Elements that are not sorted give any count.";
  static constexpr const char* kShapes = "sorted [N], values [...] -> [...]";
  static constexpr const char* kDtypes = "both of one real dtype -> uint32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&SearchSorted::right>("equal elements are before the value"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

/// Of the flattened array, or along an axis.   errors  invalid_argument, unsupported_dtype
array sort(const array& a);
array sort(const array& a, int axis);
array argsort(const array& a);
array argsort(const array& a, int axis);

/// kth: negative counts from the end.   errors  invalid_argument when it is not an index
array partition(const array& a, int kth);
array partition(const array& a, int kth, int axis);
array argpartition(const array& a, int kth);
array argpartition(const array& a, int kth, int axis);

/// The k greatest, in an order that is left open.   errors  invalid_argument unless 0 <= k <= size
array topk(const array& a, int k);
array topk(const array& a, int k, int axis);

/// sorted_sequence [N] ascending; values of any shape; side "left" or "right".
/// returns  uint32 of values' shape, in [0, N]: where to insert, before or after equal elements
/// errors   shape_mismatch, invalid_argument, unsupported_dtype
array searchsorted(const array& sorted_sequence, const array& values,
                   const std::string& side = "left");

/// The middle element, or the mean of the two middle ones; NaN if any is NaN. Integers and bool
/// give float32; float16 and bfloat16 average in float32.   errors  invalid_argument for nothing
array median(const array& a, bool keepdims = false);
array median(const array& a, const std::vector<int>& axes, bool keepdims = false);
array median(const array& a, int axis, bool keepdims = false);

}  // namespace tessera

// Reductions over axes.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// What all reductions have.
struct ReduceAxes {
  InlineVector<int, 6> axes;
  bool keepdims = false;
  static constexpr const char* kShapes = "x [...] -> x without the axes, or with size 1 there";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ReduceAxes::axes>("which are reduced, ascending, in [0, rank)"),
                 attribute<&ReduceAxes::keepdims>("reduced axes stay with size 1"));
};

namespace detail {
Shape reduced_shape(const Shape& shape, const ReduceAxes& r);
TensorSpec reduce_spec(const char* op, std::span<const array> in, const ReduceAxes& r);
}  // namespace detail

struct Sum : ReduceAxes {
  static constexpr const char* kName = "sum";
  static constexpr const char* kDoc = "Sum; integers wrap; 0 when empty.";
  static constexpr const char* kDtypes =
      "bool and integers below 32 bits -> int32 (uint32 if unsigned); others -> the same; half "
      "types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Prod : ReduceAxes {
  static constexpr const char* kName = "prod";
  static constexpr const char* kDoc = "Product; integers wrap; 1 when empty.";
  static constexpr const char* kDtypes =
      "bool and integers below 32 bits -> int32 (uint32 if unsigned); others -> the same; half "
      "types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Max : ReduceAxes {
  static constexpr const char* kName = "max";
  static constexpr const char* kDoc = "Largest; NaN if any is NaN; an empty axis is an error.";
  static constexpr const char* kDtypes = "any -> the same";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Min : ReduceAxes {
  static constexpr const char* kName = "min";
  static constexpr const char* kDoc = "Smallest; NaN if any is NaN; an empty axis is an error.";
  static constexpr const char* kDtypes = "any -> the same";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct All : ReduceAxes {
  static constexpr const char* kName = "all";
  static constexpr const char* kDoc = "Whether every element is non-zero; true when empty.";
  static constexpr const char* kDtypes = "any -> bool";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Any : ReduceAxes {
  static constexpr const char* kName = "any";
  static constexpr const char* kDoc = "Whether some element is non-zero; false when empty.";
  static constexpr const char* kDtypes = "any -> bool";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Mean : ReduceAxes {
  static constexpr const char* kName = "mean";
  static constexpr const char* kDoc = "Sum over count; NaN when empty.";
  static constexpr const char* kDtypes = "floating -> the same; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct ArgMax {
  int axis = 0;
  bool keepdims = false;
  static constexpr const char* kName = "argmax";
  static constexpr const char* kDoc =
      "Index of the largest, the lowest on ties; of the first NaN if there is one. An empty axis, "
      "or one longer than 2^32, is an error.";
  static constexpr const char* kShapes = "x [...] -> x without the axis, or with size 1 there";
  static constexpr const char* kDtypes = "any -> uint32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ArgMax::axis>("in [0, rank)"),
                 attribute<&ArgMax::keepdims>("the axis stays with size 1"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct ArgMin {
  int axis = 0;
  bool keepdims = false;
  static constexpr const char* kName = "argmin";
  static constexpr const char* kDoc =
      "Index of the smallest, the lowest on ties; of the first NaN if there is one. An empty axis, "
      "or one longer than 2^32, is an error.";
  static constexpr const char* kShapes = "x [...] -> x without the axis, or with size 1 there";
  static constexpr const char* kDtypes = "any -> uint32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ArgMin::axis>("in [0, rank)"),
                 attribute<&ArgMin::keepdims>("the axis stays with size 1"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// Each reduction over all axes, over several, or over one.
/// Sums and products of bool and of integers below 32 bits are int32 (uint32 for unsigned).
#define TESSERA_REDUCTION(name)                                                    \
  array name(const array& a, bool keepdims = false);                               \
  array name(const array& a, const std::vector<int>& axes, bool keepdims = false); \
  array name(const array& a, int axis, bool keepdims = false);
TESSERA_REDUCTION(sum)
TESSERA_REDUCTION(prod)
TESSERA_REDUCTION(max)
TESSERA_REDUCTION(min)
TESSERA_REDUCTION(all)
TESSERA_REDUCTION(any)
TESSERA_REDUCTION(mean)
#undef TESSERA_REDUCTION

/// Over the flattened array, or an axis.   errors  invalid_argument for an empty axis
array argmax(const array& a, bool keepdims = false);
array argmax(const array& a, int axis, bool keepdims = false);
array argmin(const array& a, bool keepdims = false);
array argmin(const array& a, int axis, bool keepdims = false);

}  // namespace tessera

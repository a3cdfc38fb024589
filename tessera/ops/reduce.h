// Reductions over axes.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// What all reductions have: sorted non-negative axes, and whether they stay with size 1.
struct ReduceAxes {
  InlineVector<int, 6> axes;
  bool keepdims = false;
};

namespace detail {
Shape reduced_shape(const Shape& shape, const ReduceAxes& r);
TensorSpec reduce_spec(const char* op, std::span<const array> in, const ReduceAxes& r);
}  // namespace detail

struct Sum : ReduceAxes {
  static constexpr const char* kName = "sum";
  static constexpr const char* kDoc =
      "Sum; float16 and bfloat16 add in float32; bool and integers below 32 bits give int32 "
      "(uint32 if unsigned), which wraps; empty gives 0.";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Prod : ReduceAxes {
  static constexpr const char* kName = "prod";
  static constexpr const char* kDoc = "Product, dtypes as for sum; empty gives 1.";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Max : ReduceAxes {
  static constexpr const char* kName = "max";
  static constexpr const char* kDoc = "Largest; NaN if any is NaN; an empty axis is an error.";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Min : ReduceAxes {
  static constexpr const char* kName = "min";
  static constexpr const char* kDoc = "Smallest; NaN if any is NaN; an empty axis is an error.";
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct All : ReduceAxes {
  static constexpr const char* kName = "all";
  static constexpr const char* kDoc = "Whether every element is non-zero; true when empty.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Any : ReduceAxes {
  static constexpr const char* kName = "any";
  static constexpr const char* kDoc = "Whether some element is non-zero; false when empty.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct Mean : ReduceAxes {
  static constexpr const char* kName = "mean";
  static constexpr const char* kDoc = "Sum over count, in at least float32 inside; NaN when empty.";
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
      "uint32 index of the largest, the lowest on ties; of the first NaN if there is one.";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};
struct ArgMin {
  int axis = 0;
  bool keepdims = false;
  static constexpr const char* kName = "argmin";
  static constexpr const char* kDoc =
      "uint32 index of the smallest, the lowest on ties; of the first NaN if there is one.";
  TensorSpec infer(std::span<const array> in) const;
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

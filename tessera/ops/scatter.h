// Writing elements and slices into an array: at indices, along an axis, into a slice. The array
// itself stays; its memory becomes the result's when nobody else needs it.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// What becomes of an element that updates meet. `none` replaces it, the last update wins.
enum class ScatterReduce { none, sum, prod, max, min };

struct Scatter {
  InlineVector<int, 6> axes;
  ScatterReduce reduce = ScatterReduce::none;
  static constexpr const char* kName = "scatter";
  static constexpr const char* kDoc =
      "x with slices of updates written or combined into it, at starts given by the index arrays "
      "(0 on axes without one). Updates apply in row-major order, so that among duplicates the "
      "last one wins on every backend (MLX leaves that open). Integers wrap, bool sums are logical "
      "or, NaN wins a maximum and a minimum. Negative indices count from the end; a slice that "
      "leaves the array is an error before anything is written.";
  static constexpr const char* kShapes =
      "x [...], updates [I..., slice...], index arrays [I...] -> x";
  static constexpr const char* kDtypes =
      "x and updates of one dtype, any (max, min: not complex); indices integer -> dtype of x; "
      "half types in float32 inside, rounded once";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Scatter::axes>("the axis of each index array"),
                 attribute<&Scatter::reduce>(
                     "what becomes of an element that updates meet; none replaces it"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct ScatterAxis {
  int axis = 0;
  ScatterReduce reduce = ScatterReduce::none;
  static constexpr const char* kName = "scatter_axis";
  static constexpr const char* kDoc =
      "x[.., index[.., i, ..], ..] = or += value[.., i, ..]: inputs are x, values and indices, the "
      "latter two equal to x off the axis. Order, dtypes and bounds as for scatter.";
  static constexpr const char* kShapes = "x [...], values and indices equal to x off the axis -> x";
  static constexpr const char* kDtypes = "as for scatter";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ScatterAxis::axis>("in [0, rank)"),
                 attribute<&ScatterAxis::reduce>(
                     "what becomes of an element that updates meet; none replaces it"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// indices  integers, broadcast together to a shape I, one array for each of `axes`
/// updates  [I..., slice...], slice of a's rank and at most a's sizes; cast to a's dtype
/// returns  a's shape and dtype
/// errors   shape_mismatch, unsupported_dtype, invalid_argument
array scatter(const array& a, const std::vector<array>& indices, const array& updates,
              const std::vector<int>& axes);
array scatter(const array& a, const array& indices, const array& updates, int axis);
array scatter_add(const array& a, const std::vector<array>& indices, const array& updates,
                  const std::vector<int>& axes);
array scatter_add(const array& a, const array& indices, const array& updates, int axis);
array scatter_prod(const array& a, const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes);
array scatter_prod(const array& a, const array& indices, const array& updates, int axis);
array scatter_max(const array& a, const std::vector<array>& indices, const array& updates,
                  const std::vector<int>& axes);
array scatter_max(const array& a, const array& indices, const array& updates, int axis);
array scatter_min(const array& a, const std::vector<array>& indices, const array& updates,
                  const std::vector<int>& axes);
array scatter_min(const array& a, const array& indices, const array& updates, int axis);

/// indices: integers, of a's rank, broadcast to a's shape off the axis; values: broadcast to the
/// indices' shape and cast to a's dtype.   errors  as for scatter
array put_along_axis(const array& a, const array& indices, const array& values, int axis);
array scatter_add_axis(const array& a, const array& indices, const array& values, int axis);

/// A slice (read as in slice()) combined with `update`, which is broadcast to it and cast to src's
/// dtype.   errors  shape_mismatch, invalid_argument
array slice_update_add(const array& src, const array& update, Shape start, Shape stop,
                       Shape strides);
array slice_update_add(const array& src, const array& update, Shape start, Shape stop);
array slice_update_prod(const array& src, const array& update, Shape start, Shape stop,
                        Shape strides);
array slice_update_prod(const array& src, const array& update, Shape start, Shape stop);
array slice_update_max(const array& src, const array& update, Shape start, Shape stop,
                       Shape strides);
array slice_update_max(const array& src, const array& update, Shape start, Shape stop);
array slice_update_min(const array& src, const array& update, Shape start, Shape stop,
                       Shape strides);
array slice_update_min(const array& src, const array& update, Shape start, Shape stop);

}  // namespace tessera

#include "tessera/ops/scatter.h"

#include <algorithm>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/limits.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

void check_reduce(const char* op, ScatterReduce reduce, const array& a, const array& updates) {
  if (a.dtype() != updates.dtype()) {
    fail(ErrorCode::unsupported_dtype, op, "dtypes differ: {} and updates {}", detail::describe(a),
         detail::describe(updates));
  }
  const bool ordered = reduce == ScatterReduce::max || reduce == ScatterReduce::min;
  if (ordered && a.dtype() == complex64) {
    fail(ErrorCode::unsupported_dtype, op, "{} has no order", detail::describe(a));
  }
}

// One chunk of updates into every target: hit [targets, chunk] says which update goes where.
array combined(const array& a, const array& hit, const array& updates, ScatterReduce reduce) {
  const Dtype dtype = a.dtype();
  const auto filled = [&](const array& filler) {
    return where(hit, reshape(updates, {1, updates.size()}), filler);
  };
  const BackendPtr& backend = a.backend();
  switch (reduce) {
    case ScatterReduce::none: break;
    case ScatterReduce::sum:
      return a + astype(sum(filled(detail::scalar(0, dtype, backend)), 1), dtype);
    case ScatterReduce::prod:
      return a * astype(prod(filled(detail::scalar(1, dtype, backend)), 1), dtype);
    case ScatterReduce::max: return maximum(a, max(filled(detail::lowest(dtype, backend)), 1));
    case ScatterReduce::min: return minimum(a, min(filled(detail::highest(dtype, backend)), 1));
  }
  const array number = detail::count_up(updates.size());
  const array last = max(where(hit, number, detail::scalar(-1, int64, backend)), 1);
  const array none = detail::scalar(0, int64, backend);
  return where(last < 0, a, take(updates, maximum(last, none), 0));
}

// Element by element: every target is compared with every position, in chunks of updates that keep
// the comparison small. Work is the product of the two sizes.
array scattered(array a, const array& positions, const array& updates, ScatterReduce reduce) {
  constexpr ShapeElem kCompared = ShapeElem{1} << 20;
  const ShapeElem chunk = std::max<ShapeElem>(1, kCompared / std::max<ShapeElem>(1, a.size()));
  const array targets = reshape(detail::count_up(a.size()), {a.size(), 1});
  for (ShapeElem begin = 0; begin < updates.size(); begin += chunk) {
    const ShapeElem end = std::min(begin + chunk, updates.size());
    const array hit = targets == reshape(slice(positions, {begin}, {end}), {1, end - begin});
    a = combined(a, hit, slice(updates, {begin}, {end}), reduce);
  }
  return a;
}

array scatter_with(ScatterReduce reduce, const char* name, const array& a,
                   const std::vector<array>& indices, const array& updates,
                   const std::vector<int>& axes) {
  Scatter op{detail::distinct_axes(name, axes, a), reduce};
  std::vector<array> in{a, astype(updates, a.dtype())};
  for (array& index : detail::broadcast_indices(name, indices, axes.size()))
    in.push_back(std::move(index));
  return apply(std::move(op), std::move(in));
}

array along_axis(ScatterReduce reduce, const char* name, const array& a, const array& indices,
                 const array& values, int axis) {
  if (a.ndim() != indices.ndim()) {
    fail(ErrorCode::shape_mismatch, name, "indices {} need the rank of {}",
         detail::describe(indices), detail::describe(a));
  }
  const int at = normalize_axis(axis, a.ndim(), name);
  Shape shape = a.shape();
  shape[at] = indices.shape()[at];
  return apply(ScatterAxis{at, reduce},
               {a, broadcast_to(astype(values, a.dtype()), shape), broadcast_to(indices, shape)});
}

template <class Combine>
array slice_update_with(Combine combine, const array& src, const array& update, const Shape& start,
                        const Shape& stop, const Shape& strides) {
  const array slot = slice(src, start, stop, strides);
  const array fitted = broadcast_to(astype(update, src.dtype()), slot.shape());
  return slice_update(src, combine(slot, fitted), start, stop, strides);
}

}  // namespace

TensorSpec Scatter::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2 + axes.size(), 2 + axes.size());
  const array& a = in[0];
  const array& updates = in[1];
  check_reduce(kName, reduce, a, updates);
  const std::size_t lead = axes.empty() ? 0 : in[2].ndim();
  if (updates.ndim() != lead + a.ndim()) {
    fail(ErrorCode::shape_mismatch, kName,
         "updates {} need the {} axes of the indices and the {} of {}", detail::describe(updates),
         lead, a.ndim(), detail::describe(a));
  }
  const auto first = updates.shape().begin();
  const Shape indexed =
      detail::check_slices(kName, a, in.subspan(2), Shape(first + lead, updates.shape().end()));
  if (Shape(first, first + lead) != indexed) {
    fail(ErrorCode::shape_mismatch, kName, "updates {} do not start with the indices' shape {}",
         detail::describe(updates), to_string(indexed));
  }
  return {a.shape(), a.dtype()};
}

std::vector<array> Scatter::lower(std::span<const array> in) const {
  if (in[1].size() == 0) return {in[0]};
  const Shape& given = in[1].shape();
  const Shape slice_sizes(given.end() - in[0].ndim(), given.end());
  const array positions = detail::slice_positions(in[0].shape(), in.subspan(2), axes, slice_sizes);
  const bool arithmetic = reduce == ScatterReduce::sum || reduce == ScatterReduce::prod;
  const bool half = is_floating(in[0].dtype()) && in[0].dtype().size() < 4;
  const Dtype inside = arithmetic && half ? float32 : in[0].dtype();
  const auto flat = [](const array& x) { return reshape(x, {x.size()}); };
  const array out =
      scattered(flat(astype(in[0], inside)), flat(positions), flat(astype(in[1], inside)), reduce);
  return {astype(reshape(out, in[0].shape()), in[0].dtype())};
}

TensorSpec ScatterAxis::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 3, 3);
  check_reduce(kName, reduce, in[0], in[1]);
  detail::check_indices(kName, in[2]);
  Shape like = in[0].shape();
  if (like.size() == in[2].ndim()) like[axis] = in[2].shape()[axis];
  if (in[2].shape() != like || in[1].shape() != like) {
    fail(ErrorCode::shape_mismatch, kName, "values {} and indices {} must equal {} off axis {}",
         detail::describe(in[1]), detail::describe(in[2]), detail::describe(in[0]), axis);
  }
  return {in[0].shape(), in[0].dtype()};
}

std::vector<array> ScatterAxis::lower(std::span<const array> in) const {
  if (in[1].size() == 0) return {in[0]};
  if (in[0].size() == 0) {
    fail(ErrorCode::invalid_argument, kName, "indices {} are out of range for {}",
         detail::describe(in[2]), detail::describe(in[0]));
  }
  const array positions = detail::axis_positions(in[0].shape(), in[2], axis);
  const ShapeElem count = positions.size();
  const array out = apply(
      Scatter{{0}, reduce},
      {reshape(in[0], {in[0].size()}), reshape(in[1], {count, 1}), reshape(positions, {count})});
  return {reshape(out, in[0].shape())};
}

#define TESSERA_SCATTER(name, reduce)                                                 \
  array name(const array& a, const std::vector<array>& indices, const array& updates, \
             const std::vector<int>& axes) {                                          \
    return scatter_with(ScatterReduce::reduce, #name, a, indices, updates, axes);     \
  }                                                                                   \
  array name(const array& a, const array& indices, const array& updates, int axis) {  \
    return name(a, std::vector<array>{indices}, updates, std::vector<int>{axis});     \
  }
TESSERA_SCATTER(scatter, none)
TESSERA_SCATTER(scatter_add, sum)
TESSERA_SCATTER(scatter_prod, prod)
TESSERA_SCATTER(scatter_max, max)
TESSERA_SCATTER(scatter_min, min)
#undef TESSERA_SCATTER

array put_along_axis(const array& a, const array& indices, const array& values, int axis) {
  return along_axis(ScatterReduce::none, "put_along_axis", a, indices, values, axis);
}
array scatter_add_axis(const array& a, const array& indices, const array& values, int axis) {
  return along_axis(ScatterReduce::sum, "scatter_add_axis", a, indices, values, axis);
}

#define TESSERA_SLICE_UPDATE(name, combine)                                                   \
  array name(const array& src, const array& update, Shape start, Shape stop, Shape strides) { \
    return slice_update_with(combine, src, update, start, stop, strides);                     \
  }                                                                                           \
  array name(const array& src, const array& update, Shape start, Shape stop) {                \
    return name(src, update, std::move(start), std::move(stop), Shape(src.ndim(), 1));        \
  }
TESSERA_SLICE_UPDATE(slice_update_add, add)
TESSERA_SLICE_UPDATE(slice_update_prod, multiply)
TESSERA_SLICE_UPDATE(slice_update_max, maximum)
TESSERA_SLICE_UPDATE(slice_update_min, minimum)
#undef TESSERA_SLICE_UPDATE

}  // namespace tessera

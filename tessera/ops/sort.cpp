#include "tessera/ops/sort.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tessera/ir/node.h"
#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/sort_network.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

void check_ordered(const char* op, const array& a) {
  if (a.dtype() == complex64) {
    fail(ErrorCode::unsupported_dtype, op, "{} has no order", detail::describe(a));
  }
}

TensorSpec sort_spec(const char* op, std::span<const array> in, int axis, Dtype dtype) {
  detail::check_count(op, in, 1, 1);
  check_ordered(op, in[0]);
  if (in[0].shape()[axis] > ShapeElem{1} << 32) {
    fail(ErrorCode::invalid_argument, op, "axis {} of {} is longer than uint32 indices reach", axis,
         detail::describe(in[0]));
  }
  return {in[0].shape(), dtype};
}

ShapeElem normalize_kth(const char* op, int kth, const array& a, int axis) {
  const ShapeElem size = a.shape()[axis];
  const ShapeElem at = kth < 0 ? kth + size : kth;
  if (at < 0 || at >= size) {
    fail(ErrorCode::invalid_argument, op, "kth {} is not an index of axis {} of {}", kth, axis,
         detail::describe(a));
  }
  return at;
}

// [begin, end) along an axis.
array cut(const array& a, int axis, ShapeElem begin, ShapeElem end) {
  Shape start(a.ndim(), 0);
  Shape stop = a.shape();
  start[axis] = begin;
  stop[axis] = end;
  return slice(a, std::move(start), std::move(stop));
}

}  // namespace

TensorSpec Sort::infer(std::span<const array> in) const {
  return sort_spec(kName, in, axis, in[0].dtype());
}
TensorSpec ArgSort::infer(std::span<const array> in) const {
  return sort_spec(kName, in, axis, uint32);
}
TensorSpec Partition::infer(std::span<const array> in) const {
  return sort_spec(kName, in, axis, in[0].dtype());
}
TensorSpec ArgPartition::infer(std::span<const array> in) const {
  return sort_spec(kName, in, axis, uint32);
}

std::vector<array> Sort::lower(std::span<const array> in) const {
  return {detail::sort_network(in[0], axis).values};
}
std::vector<array> ArgSort::lower(std::span<const array> in) const {
  return {detail::sort_network(in[0], axis).indices};
}
std::vector<array> Partition::lower(std::span<const array> in) const {
  return {sort(in[0], axis)};
}
std::vector<array> ArgPartition::lower(std::span<const array> in) const {
  return {argsort(in[0], axis)};
}

TensorSpec SearchSorted::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  check_ordered(kName, in[0]);
  if (in[0].ndim() != 1) {
    fail(ErrorCode::shape_mismatch, kName, "the sorted sequence must have one axis, got {}",
         detail::describe(in[0]));
  }
  if (in[0].dtype() != in[1].dtype()) {
    fail(ErrorCode::unsupported_dtype, kName, "dtypes differ: {} and {}", detail::describe(in[0]),
         detail::describe(in[1]));
  }
  if (in[0].size() >= ShapeElem{1} << 32) {
    fail(ErrorCode::invalid_argument, kName, "{} is longer than uint32 counts reach",
         detail::describe(in[0]));
  }
  return {in[1].shape(), uint32};
}

// Bisection for all values at once: a count grows by halving steps as long as the element that it
// would take in is before the value.
std::vector<array> SearchSorted::lower(std::span<const array> in) const {
  const array& sorted = in[0];
  const array& values = in[1];
  const ShapeElem n = sorted.size();
  array count = zeros(values.shape(), int64);
  const auto first = static_cast<ShapeElem>(std::bit_floor(static_cast<std::uint64_t>(n)));
  for (ShapeElem step = first; step > 0; step /= 2) {
    const array grown = count + step;
    const array element =
        take(sorted, minimum(grown, detail::scalar(n, int64, in[0].backend())) - 1);
    const array before = right ? logical_not(detail::is_before(values, element))
                               : detail::is_before(element, values);
    count = where(logical_and(grown <= n, before), grown, count);
  }
  return {astype(count, uint32)};
}

array sort(const array& a, int axis) {
  return apply(Sort{normalize_axis(axis, a.ndim(), "sort")}, {a});
}
array sort(const array& a) {
  return sort(flatten(a), 0);
}
array argsort(const array& a, int axis) {
  return apply(ArgSort{normalize_axis(axis, a.ndim(), "argsort")}, {a});
}
array argsort(const array& a) {
  return argsort(flatten(a), 0);
}

array partition(const array& a, int kth, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "partition");
  return apply(Partition{normalize_kth("partition", kth, a, at), at}, {a});
}
array partition(const array& a, int kth) {
  return partition(flatten(a), kth, 0);
}
array argpartition(const array& a, int kth, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "argpartition");
  return apply(ArgPartition{normalize_kth("argpartition", kth, a, at), at}, {a});
}
array argpartition(const array& a, int kth) {
  return argpartition(flatten(a), kth, 0);
}

array topk(const array& a, int k, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "topk");
  const ShapeElem size = a.shape()[at];
  if (k < 0 || k > size) {
    fail(ErrorCode::invalid_argument, "topk", "k {} is not between 0 and the size of axis {} of {}",
         k, at, detail::describe(a));
  }
  if (k == size) return a;
  if (k == 0) return cut(a, at, 0, 0);
  return cut(partition(a, -k, at), at, size - k, size);
}
array topk(const array& a, int k) {
  return topk(flatten(a), k, 0);
}

array searchsorted(const array& sorted_sequence, const array& values, const std::string& side) {
  if (side != "left" && side != "right") {
    fail(ErrorCode::invalid_argument, "searchsorted",
         "side \"{}\" is neither \"left\" nor \"right\"", side);
  }
  const Dtype dtype = promote_types(sorted_sequence.dtype(), values.dtype());
  return apply(SearchSorted{side == "right"},
               {astype(sorted_sequence, dtype), astype(values, dtype)});
}

array median(const array& a, int axis, bool keepdims) {
  const int at = normalize_axis(axis, a.ndim(), "median");
  const ShapeElem size = a.shape()[at];
  if (size == 0) {
    fail(ErrorCode::invalid_argument, "median", "axis {} of {} is empty", at, detail::describe(a));
  }
  const Dtype dtype = detail::at_least_float(a.dtype());
  const array sorted = sort(astype(a, dtype), at);
  array middle = cut(sorted, at, size / 2, size / 2 + 1);
  if (size % 2 == 0) {
    const Dtype wide = promote_types(dtype, float32);
    const array below = cut(sorted, at, size / 2 - 1, size / 2);
    middle = astype((astype(below, wide) + astype(middle, wide)) * 0.5, dtype);
  }
  const array last = cut(sorted, at, size - 1, size);  // NaN if any is
  const array result = where(last == last, middle, last);
  return keepdims ? result : squeeze(result, at);
}

array median(const array& a, const std::vector<int>& axes, bool keepdims) {
  std::vector<bool> reduced(a.ndim());
  for (int axis : axes) {
    const int at = normalize_axis(axis, a.ndim(), "median");
    if (reduced[at]) fail(ErrorCode::invalid_argument, "median", "axis {} appears twice", axis);
    reduced[at] = true;
  }
  // The reduced axes go last and become one.
  std::vector<int> order;
  Shape kept, shape;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (!reduced[i]) order.push_back(i), kept.push_back(a.shape()[i]);
    if (!reduced[i] || keepdims) shape.push_back(reduced[i] ? 1 : a.shape()[i]);
  }
  ShapeElem count = 1;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (reduced[i]) order.push_back(i), count *= a.shape()[i];
  }
  kept.push_back(count);
  return reshape(median(reshape(transpose(a, std::move(order)), kept), -1), shape);
}
array median(const array& a, bool keepdims) {
  std::vector<int> axes(a.ndim());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int>(i);
  return median(a, axes, keepdims);
}

}  // namespace tessera

// Gradients and batching of reductions, softmax, scans and sorts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/filled.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/rules.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/scan.h"
#include "tessera/ops/scatter.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/softmax.h"
#include "tessera/ops/sort.h"
#include "tessera/ops/unary.h"

namespace tessera {

using detail::behind_batch;
using detail::behind_batch_axis;

namespace {

// A reduction's result with the axes that it dropped, as axes of 1.
array with_axes(const array& reduced, const array& input, const ReduceAxes& r) {
  ReduceAxes kept = r;
  kept.keepdims = true;
  return reshape(reduced, detail::reduced_shape(input.shape(), kept));
}

array spread_over(const array& reduced, const array& input, const ReduceAxes& r) {
  return broadcast_to(with_axes(reduced, input, r), input.shape());
}

template <class Op>
std::vector<array> vmap_reduction(Op op, const Vmap& v) {
  op.axes = behind_batch(op.axes);
  return {apply(std::move(op), {v.input()})};
}

template <class Op>
std::vector<array> vmap_axis(const Op& op, const Vmap& v) {
  return {apply(behind_batch_axis(op), {v.input()})};
}

// Of a maximum or minimum: equal parts to all elements that reach it, as in MLX.
void extreme_vjp(Vjp& v, const ReduceAxes& r) {
  const array& x = v.input();
  const array reached = astype(x == with_axes(v.output(), x, r), x.dtype());
  const std::vector<int> axes(r.axes.begin(), r.axes.end());
  v.set(0, with_axes(v.cotangent(), x, r) * (reached / sum(reached, axes, true)));
}

}  // namespace

void Sum::vjp(Vjp& v) const {
  v.set(0, spread_over(v.cotangent(), v.input(), *this));
}
void Mean::vjp(Vjp& v) const {
  double count = 1;
  for (const int axis : axes) count *= static_cast<double>(v.input().shape(axis));
  v.set(0, spread_over(v.cotangent() * (1 / count), v.input(), *this));
}
// The product of all others: what comes before times what comes after, so that zeros are no
// problem.
void Prod::vjp(Vjp& v) const {
  const array& x = v.input();
  std::vector<int> order;
  Shape kept;
  for (int i = 0; i < static_cast<int>(x.ndim()); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      order.push_back(i);
      kept.push_back(x.shape(i));
    }
  }
  order.insert(order.end(), axes.begin(), axes.end());
  const array moved = transpose(x, order);
  Shape flat = kept;
  flat.push_back(num_elements(kept) == 0 ? 0 : x.size() / num_elements(kept));
  const array rows = reshape(moved, flat);
  const int last = static_cast<int>(kept.size());
  const array others = cumprod(rows, last, false, false) * cumprod(rows, last, true, false);
  std::vector<int> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  }
  const array shaped = transpose(reshape(others, moved.shape()), back);
  v.set(0, with_axes(v.cotangent(), x, *this) * shaped);
}
void Max::vjp(Vjp& v) const {
  extreme_vjp(v, *this);
}
void Min::vjp(Vjp& v) const {
  extreme_vjp(v, *this);
}
std::vector<array> Sum::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> Mean::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> Prod::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> Max::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> Min::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> All::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> Any::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
std::vector<array> ArgMax::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
std::vector<array> ArgMin::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}

void Softmax::vjp(Vjp& v) const {
  const array weighted = v.cotangent() * v.output();
  const std::vector<int> over(axes.begin(), axes.end());
  v.set(0, weighted - v.output() * sum(weighted, over, true));
}
std::vector<array> Softmax::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}
void LogSumExp::vjp(Vjp& v) const {
  const std::vector<int> over(axes.begin(), axes.end());
  v.set(0, with_axes(v.cotangent(), v.input(), *this) * softmax(v.input(), over));
}
std::vector<array> LogSumExp::vmap(const Vmap& v) const {
  return vmap_reduction(*this, v);
}

void CumSum::vjp(Vjp& v) const {
  v.set(0, cumsum(v.cotangent(), axis, !reverse, inclusive));
}
std::vector<array> CumSum::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
std::vector<array> CumProd::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
namespace {

// A running extreme is the element that reached it last, as in MLX: all of the gradient is its own.
void running_extreme_vjp(Vjp& v, const ScanAxis& scan, const array& inclusive) {
  const array &x = v.input(), &ct = v.cotangent();
  const ShapeElem n = x.shape(scan.axis);
  Shape column(x.ndim(), 1);
  column[static_cast<std::size_t>(scan.axis)] = n;
  const array place = reshape(apply(Arange{0, 1, n, int64}, {}, x.backend()), column);
  const array reached = logical_or(x == inclusive, x != x);
  const array outside = detail::scalar(scan.reverse ? double(n) : -1.0, int64, x.backend());
  const array marked = where(reached, place, outside);
  const array source = scan.reverse ? cummin(marked, scan.axis, true, scan.inclusive)
                                    : cummax(marked, scan.axis, false, scan.inclusive);
  const array known = logical_and(source >= 0, source < static_cast<int>(n));
  const array zero = zeros_like(ct);
  v.set(0,
        scatter_add_axis(zero, where(known, source, place * 0), where(known, ct, zero), scan.axis));
}

}  // namespace

void CumMax::vjp(Vjp& v) const {
  running_extreme_vjp(v, *this, cummax(v.input(), axis, reverse, true));
}
void CumMin::vjp(Vjp& v) const {
  running_extreme_vjp(v, *this, cummin(v.input(), axis, reverse, true));
}
std::vector<array> CumMax::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
std::vector<array> CumMin::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
// The sum over all totals that an element is part of of cotangent * exp(x - total), as a running
// log-sum-exp from the other side: once for the positive cotangents and once for the negative ones.
void LogCumSumExp::vjp(Vjp& v) const {
  const array &x = v.input(), &total = v.output(), &ct = v.cotangent();
  const array none = detail::scalar(-INFINITY, ct.dtype(), ct.backend());
  const auto part = [&](const array& positive) {
    const array weight =
        where(logical_and(positive > 0, total > none), log(positive) - total, none);
    return exp(x + logcumsumexp(weight, axis, !reverse, inclusive));
  };
  v.set(0, part(ct) - part(-ct));
}
std::vector<array> LogCumSumExp::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}

void Sort::vjp(Vjp& v) const {
  const array order = argsort(v.input(), axis);
  v.set(0, put_along_axis(zeros_like(v.cotangent()), order, v.cotangent(), axis));
}
// The order within both sides is the backend's own: sorting what went in and what came out tells
// which element went where.
void Partition::vjp(Vjp& v) const {
  const array came = argsort(v.output(), axis), went = argsort(v.input(), axis);
  const array sorted = take_along_axis(v.cotangent(), came, axis);
  v.set(0, put_along_axis(zeros_like(sorted), went, sorted, axis));
}
std::vector<array> Sort::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
std::vector<array> ArgSort::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
std::vector<array> Partition::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}
std::vector<array> ArgPartition::vmap(const Vmap& v) const {
  return vmap_axis(*this, v);
}

}  // namespace tessera

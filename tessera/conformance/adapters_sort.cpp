// Sorting and searching. Where an op leaves an order open, the goldens hold both sides of the kth
// element in order.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

using All = array (*)(const array&);
using Along = array (*)(const array&, int);

Adapter sorting(All all, Along along) {
  return [=](const GoldenCase& c) {
    const array a = c.attrs.value("transpose", false) ? transpose(c.input(0)) : c.input(0);
    return c.attrs["axis"].is_null() ? all(a) : along(a, c.attrs["axis"]);
  };
}

array part(const array& a, int axis, ShapeElem begin, ShapeElem end) {
  Shape start(a.ndim(), 0);
  Shape stop = a.shape();
  start[axis] = begin;
  stop[axis] = end;
  return slice(a, start, stop);
}

array sides(const array& p, int kth, int axis) {
  axis = normalize_axis(axis, p.ndim(), "sides");
  const ShapeElem size = p.shape()[axis];
  const ShapeElem at = kth < 0 ? kth + size : kth;
  return concatenate({sort(part(p, axis, 0, at), axis), part(p, axis, at, at + 1),
                      sort(part(p, axis, at + 1, size), axis)},
                     axis);
}

array call_partition(const GoldenCase& c) {
  const int kth = c.attrs["kth"];
  if (c.attrs["axis"].is_null()) return sides(partition(c.input(0), kth), kth, 0);
  const int axis = c.attrs["axis"];
  return sides(partition(c.input(0), kth, axis), kth, axis);
}

Outputs call_argpartition(const GoldenCase& c) {
  const int kth = c.attrs["kth"];
  const bool flat = c.attrs["axis"].is_null();
  const array a = flat ? reshape(c.input(0), {-1}) : c.input(0);
  const int axis = flat ? 0 : c.attrs["axis"].get<int>();
  const array p = flat ? argpartition(c.input(0), kth) : argpartition(a, kth, axis);
  return std::vector<array>{sides(take_along_axis(a, p, axis), kth, axis), sort(p, axis)};
}

array call_topk(const GoldenCase& c) {
  const int k = c.attrs["k"];
  if (c.attrs["axis"].is_null()) return sort(topk(c.input(0), k));
  return sort(topk(c.input(0), k, c.attrs["axis"].get<int>()), c.attrs["axis"]);
}

array call_median(const GoldenCase& c) {
  const bool keepdims = c.attrs["keepdims"];
  if (c.attrs["axes"].is_null()) return median(c.input(0), keepdims);
  const auto axes = c.attrs["axes"].get<std::vector<int>>();
  return axes.size() == 1 ? median(c.input(0), axes[0], keepdims)
                          : median(c.input(0), axes, keepdims);
}

}  // namespace

void add_sort(Adapters& table) {
  table.insert({
      {"sort", sorting(sort, sort)},
      {"argsort", sorting(argsort, argsort)},
      {"partition", call_partition},
      {"argpartition", call_argpartition},
      {"topk", call_topk},
      {"searchsorted",
       [](const GoldenCase& c) {
         return searchsorted(c.input(0), c.input(1), c.attrs["side"].get<std::string>());
       }},
      {"median", call_median},
  });
}

}  // namespace tessera::conformance

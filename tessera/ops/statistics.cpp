#include "tessera/ops/statistics.h"

#include <algorithm>

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

double count_over(const array& a, const std::vector<int>& axes, const char* op) {
  double count = 1;
  for (int axis : axes) count *= static_cast<double>(a.shape()[normalize_axis(axis, a.ndim(), op)]);
  return count;
}

// In at least float32; of complex numbers, their squared distances.
array wide_var(const array& a, const std::vector<int>& axes, bool keepdims, int ddof,
               const char* op) {
  const double count = count_over(a, axes, op);
  const array x = astype(a, promote_types(detail::at_least_float(a.dtype()), float32));
  const array distance = x - sum(x, axes, true) / count;
  const array total = sum(square(abs(distance)), axes, keepdims);
  return total / std::max(0.0, count - ddof);
}

Dtype spread_dtype(const array& a) {
  return a.dtype() == complex64 ? float32 : detail::at_least_float(a.dtype());
}

}  // namespace

array var(const array& a, const std::vector<int>& axes, bool keepdims, int ddof) {
  return astype(wide_var(a, axes, keepdims, ddof, "var"), spread_dtype(a));
}
array var(const array& a, bool keepdims, int ddof) {
  return var(a, detail::all_axes(a), keepdims, ddof);
}
array var(const array& a, int axis, bool keepdims, int ddof) {
  return var(a, std::vector<int>{axis}, keepdims, ddof);
}
array std(const array& a, const std::vector<int>& axes, bool keepdims, int ddof) {
  return astype(sqrt(wide_var(a, axes, keepdims, ddof, "std")), spread_dtype(a));
}
array std(const array& a, bool keepdims, int ddof) {
  return std(a, detail::all_axes(a), keepdims, ddof);
}
array std(const array& a, int axis, bool keepdims, int ddof) {
  return std(a, std::vector<int>{axis}, keepdims, ddof);
}

array count_nonzero(const array& a, const std::vector<int>& axes, bool keepdims) {
  return sum(astype(a != 0, int32), axes, keepdims);
}
array count_nonzero(const array& a, bool keepdims) {
  return count_nonzero(a, detail::all_axes(a), keepdims);
}
array count_nonzero(const array& a, int axis, bool keepdims) {
  return count_nonzero(a, std::vector<int>{axis}, keepdims);
}

std::tuple<array, array> minmax(const array& a, const std::vector<int>& axes, bool keepdims) {
  return {min(a, axes, keepdims), max(a, axes, keepdims)};
}
std::tuple<array, array> minmax(const array& a, bool keepdims) {
  return {min(a, keepdims), max(a, keepdims)};
}
std::tuple<array, array> minmax(const array& a, int axis, bool keepdims) {
  return {min(a, axis, keepdims), max(a, axis, keepdims)};
}

}  // namespace tessera

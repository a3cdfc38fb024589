#include "tessera/ops/products.h"

#include <algorithm>
#include <numeric>

#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

// The axes of `a` that are not in `axes`, in order.
std::vector<int> other_axes(const array& a, const InlineVector<int, 6>& axes) {
  std::vector<int> others;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) others.push_back(i);
  }
  return others;
}

}  // namespace

array outer(const array& a, const array& b) {
  return expand_dims(flatten(a), 1) * flatten(b);
}

array inner(const array& a, const array& b) {
  if (a.ndim() == 0 || b.ndim() == 0) return a * b;
  if (a.shape(-1) != b.shape(-1)) {
    fail(ErrorCode::shape_mismatch, "inner", "the last axes of {} and {} differ",
         detail::describe(a), detail::describe(b));
  }
  return tensordot(a, b, std::vector<int>{-1}, std::vector<int>{-1});
}

array vecdot(const array& a, const array& b, int axis) {
  const int rank = static_cast<int>(std::min(a.ndim(), b.ndim()));
  const int from_end = axis < 0 ? axis : axis - static_cast<int>(std::max(a.ndim(), b.ndim()));
  if (rank == 0 || from_end < -rank || from_end >= 0 || a.shape(from_end) != b.shape(from_end)) {
    fail(ErrorCode::shape_mismatch, "vecdot",
         "axis {} of {} and {} is not one of both, equally long", axis, detail::describe(a),
         detail::describe(b));
  }
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  const bool half = is_floating(dtype) && dtype.size() < 4;
  const Dtype wide = half ? float32 : dtype;
  const array total = sum(conjugate(astype(a, wide)) * astype(b, wide), from_end);
  return half ? astype(total, dtype) : total;
}

array tensordot(const array& a, const array& b, int axis) {
  if (axis < 0 || axis > static_cast<int>(std::min(a.ndim(), b.ndim()))) {
    fail(ErrorCode::invalid_argument, "tensordot", "{} axes of {} and {}", axis,
         detail::describe(a), detail::describe(b));
  }
  std::vector<int> of_a(axis), of_b(axis);
  std::iota(of_a.begin(), of_a.end(), static_cast<int>(a.ndim()) - axis);
  std::iota(of_b.begin(), of_b.end(), 0);
  return tensordot(a, b, of_a, of_b);
}

array tensordot(const array& a, const array& b, const std::vector<int>& axes_a,
                const std::vector<int>& axes_b) {
  if (axes_a.size() != axes_b.size()) {
    fail(ErrorCode::invalid_argument, "tensordot", "{} axes of {} beside {} of {}", axes_a.size(),
         detail::describe(a), axes_b.size(), detail::describe(b));
  }
  const InlineVector<int, 6> sum_a = detail::distinct_axes("tensordot", axes_a, a);
  const InlineVector<int, 6> sum_b = detail::distinct_axes("tensordot", axes_b, b);
  ShapeElem summed = 1;
  for (std::size_t i = 0; i < sum_a.size(); ++i) {
    summed *= a.shape()[sum_a[i]];
    if (a.shape()[sum_a[i]] != b.shape()[sum_b[i]]) {
      fail(ErrorCode::shape_mismatch, "tensordot", "axis {} of {} and axis {} of {} differ",
           axes_a[i], detail::describe(a), axes_b[i], detail::describe(b));
    }
  }
  std::vector<int> order_a = other_axes(a, sum_a), order_b(sum_b.begin(), sum_b.end());
  Shape shape;
  ShapeElem rows = 1, columns = 1;
  for (int axis : order_a) shape.push_back(a.shape()[axis]), rows *= a.shape()[axis];
  for (int axis : other_axes(b, sum_b)) {
    order_b.push_back(axis);
    shape.push_back(b.shape()[axis]);
    columns *= b.shape()[axis];
  }
  order_a.insert(order_a.end(), sum_a.begin(), sum_a.end());
  const array left = reshape(transpose(a, order_a), {rows, summed});
  const array right = reshape(transpose(b, order_b), {summed, columns});
  return reshape(matmul(left, right), shape);
}

array kron(const array& a, const array& b) {
  const std::size_t rank = std::max(a.ndim(), b.ndim());
  Shape apart_a, apart_b, together;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t in_a = i + a.ndim(), in_b = i + b.ndim();
    const ShapeElem size_a = in_a < rank ? 1 : a.shape()[in_a - rank];
    const ShapeElem size_b = in_b < rank ? 1 : b.shape()[in_b - rank];
    apart_a.push_back(size_a), apart_a.push_back(1);
    apart_b.push_back(1), apart_b.push_back(size_b);
    together.push_back(size_a * size_b);
  }
  return reshape(reshape(a, apart_a) * reshape(b, apart_b), together);
}

}  // namespace tessera

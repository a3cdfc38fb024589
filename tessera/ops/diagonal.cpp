#include "tessera/ops/diagonal.h"

#include <algorithm>

#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

void check_sizes(const char* op, int n, int m) {
  if (n < 0 || m < 0) {
    fail(ErrorCode::invalid_argument, op, "a matrix of {} x {} is not possible", n, m);
  }
}

// column - row of every place in an [n, m] matrix.
array distance_from_diagonal(ShapeElem n, ShapeElem m, const BackendPtr& backend) {
  return detail::count_up(m, backend) - expand_dims(detail::count_up(n, backend), 1);
}

array triangle(const char* op, const array& x, int k, bool lower) {
  detail::check_rank(op, x, 2);
  const array distance = distance_from_diagonal(x.shape(-2), x.shape(-1), x.backend());
  const array zero = detail::scalar(0, x.dtype(), x.backend());
  return where(lower ? distance <= k : distance >= k, x, zero);
}

}  // namespace

array eye(int n, int m, int k, Dtype dtype) {
  check_sizes("eye", n, m);
  return astype(distance_from_diagonal(n, m, current_backend()) == k, dtype);
}
array eye(int n, Dtype dtype) {
  return eye(n, n, 0, dtype);
}
array eye(int n, int m) {
  return eye(n, m, 0, float32);
}
array identity(int n, Dtype dtype) {
  return eye(n, n, 0, dtype);
}

array tri(int n, int m, int k, Dtype dtype) {
  check_sizes("tri", n, m);
  return astype(distance_from_diagonal(n, m, current_backend()) <= k, dtype);
}
array tri(int n, Dtype dtype) {
  return tri(n, n, 0, dtype);
}
array tril(const array& x, int k) {
  return triangle("tril", x, k, true);
}
array triu(const array& x, int k) {
  return triangle("triu", x, k, false);
}

array diagonal(const array& a, int offset, int axis1, int axis2) {
  detail::check_rank("diagonal", a, 2);
  const int rows = normalize_axis(axis1, a.ndim(), "diagonal");
  const int columns = normalize_axis(axis2, a.ndim(), "diagonal");
  if (rows == columns) {
    fail(ErrorCode::invalid_argument, "diagonal", "axes {} and {} of {} are the same", axis1, axis2,
         detail::describe(a));
  }
  const ShapeElem first_row = std::max(0, -offset), first_column = std::max(0, offset);
  const ShapeElem count = std::max<ShapeElem>(
      0, std::min(a.shape()[rows] - first_row, a.shape()[columns] - first_column));
  // In row-major order of the two axes, elements of a diagonal are one row and one column apart.
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (i != rows && i != columns) order.push_back(i);
  }
  order.insert(order.end(), {rows, columns});
  const array matrices = flatten(transpose(a, order), -2, -1);
  const ShapeElem width = a.shape()[columns];
  Shape start(matrices.ndim(), 0), stop = matrices.shape(), strides(matrices.ndim(), 1);
  start.back() = count == 0 ? 0 : first_row * width + first_column;
  stop.back() = count == 0 ? 0 : start.back() + (count - 1) * (width + 1) + 1;
  strides.back() = width + 1;
  return slice(matrices, start, stop, strides);
}

array diag(const array& a, int k) {
  if (a.ndim() == 2) return diagonal(a, k);
  if (a.ndim() != 1) {
    fail(ErrorCode::shape_mismatch, "diag", "needs a vector or a matrix, got {}",
         detail::describe(a));
  }
  const ShapeElem above = std::max(0, k), below = std::max(0, -k);
  const ShapeElem n = a.size() + above + below;
  const array zero = detail::scalar(0, a.dtype(), a.backend());
  const array on = distance_from_diagonal(n, n, a.backend()) == k;
  // Every column of the diagonal holds one element.
  const array row = concatenate({full({above}, zero), a, full({below}, zero)});
  return where(on, row, zero);
}

array trace(const array& a, int offset, int axis1, int axis2, Dtype dtype) {
  return sum(astype(diagonal(a, offset, axis1, axis2), dtype), -1);
}
array trace(const array& a, int offset, int axis1, int axis2) {
  return sum(diagonal(a, offset, axis1, axis2), -1);
}

}  // namespace tessera

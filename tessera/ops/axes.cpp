#include "tessera/ops/axes.h"

#include <algorithm>
#include <numeric>

#include "tessera/ops/internal/checks.h"

namespace tessera {

namespace {

// Which of `rank` axes are named.
std::vector<bool> marked(const char* op, const std::vector<int>& axes, std::size_t rank) {
  std::vector<bool> marks(rank);
  for (int axis : axes) {
    const int at = normalize_axis(axis, rank, op);
    if (marks[at]) fail(ErrorCode::invalid_argument, op, "axis {} appears twice", axis);
    marks[at] = true;
  }
  return marks;
}

template <class Fn>
std::vector<array> each(const std::vector<array>& arrays, Fn fn) {
  std::vector<array> out;
  out.reserve(arrays.size());
  for (const array& a : arrays) out.push_back(fn(a));
  return out;
}

}  // namespace

array squeeze(const array& a, const std::vector<int>& axes) {
  const std::vector<bool> dropped = marked("squeeze", axes, a.ndim());
  Shape shape;
  for (std::size_t i = 0; i < a.ndim(); ++i) {
    if (!dropped[i]) {
      shape.push_back(a.shape()[i]);
    } else if (a.shape()[i] != 1) {
      fail(ErrorCode::invalid_argument, "squeeze", "axis {} of {} is not of size 1", i,
           detail::describe(a));
    }
  }
  return reshape(a, std::move(shape));
}
array squeeze(const array& a) {
  Shape shape;
  for (ShapeElem size : a.shape()) {
    if (size != 1) shape.push_back(size);
  }
  return reshape(a, std::move(shape));
}

array expand_dims(const array& a, const std::vector<int>& axes) {
  const std::vector<bool> added = marked("expand_dims", axes, a.ndim() + axes.size());
  Shape shape;
  const ShapeElem* next = a.shape().begin();
  for (bool is_new : added) shape.push_back(is_new ? 1 : *next++);
  return reshape(a, std::move(shape));
}

array flatten(const array& a, int start_axis, int end_axis) {
  const int rank = static_cast<int>(a.ndim());
  const auto place = [rank](int axis) {
    return std::clamp(axis < 0 ? axis + rank : axis, 0, rank - 1);
  };
  if (rank == 0) return reshape(a, {1});
  const int start = place(start_axis), end = place(end_axis);
  if (start > end) {
    fail(ErrorCode::invalid_argument, "flatten", "start_axis {} is after end_axis {} of {}",
         start_axis, end_axis, detail::describe(a));
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i > start && i <= end)
      shape.back() *= a.shape()[i];
    else
      shape.push_back(a.shape()[i]);
  }
  return reshape(a, std::move(shape));
}
array flatten(const array& a) {
  return reshape(a, {a.size()});
}

array unflatten(const array& a, int axis, const Shape& shape) {
  const int at = normalize_axis(axis, a.ndim(), "unflatten");
  if (shape.empty()) fail(ErrorCode::invalid_argument, "unflatten", "needs at least one size");
  ShapeElem known = 1;
  int unknown = -1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != -1)
      known *= shape[i];
    else if (std::exchange(unknown, static_cast<int>(i)) != -1)
      fail(ErrorCode::invalid_argument, "unflatten", "{} has more than one -1", to_string(shape));
  }
  const ShapeElem size = a.shape()[at];
  const bool fits = unknown < 0 ? known == size : known != 0 && size % known == 0;
  if (!fits) {
    fail(ErrorCode::shape_mismatch, "unflatten", "axis {} of {} does not come apart into {}", axis,
         detail::describe(a), to_string(shape));
  }
  Shape out(a.shape().begin(), a.shape().begin() + at);
  for (ShapeElem s : shape) out.push_back(s == -1 ? size / known : s);
  for (std::size_t i = at + 1; i < a.ndim(); ++i) out.push_back(a.shape()[i]);
  return reshape(a, std::move(out));
}

array moveaxis(const array& a, int source, int destination) {
  std::vector<int> order(a.ndim());
  std::iota(order.begin(), order.end(), 0);
  const int from = normalize_axis(source, a.ndim(), "moveaxis");
  const int to = normalize_axis(destination, a.ndim(), "moveaxis");
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transpose(a, std::move(order));
}

array matrix_transpose(const array& a) {
  detail::check_rank("matrix_transpose", a, 2);
  return swapaxes(a, -1, -2);
}

array flip(const array& a, const std::vector<int>& axes) {
  Shape start(a.ndim(), 0), stop = a.shape(), strides(a.ndim(), 1);
  for (int axis : axes) {
    const int at = normalize_axis(axis, a.ndim(), "flip");
    start[at] = a.shape()[at] - 1;
    stop[at] = -a.shape()[at] - 1;
    strides[at] = -1;
  }
  return slice(a, std::move(start), std::move(stop), std::move(strides));
}
array flip(const array& a, int axis) {
  return flip(a, std::vector<int>{axis});
}
array flip(const array& a) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  return flip(a, axes);
}

array atleast_1d(const array& a) {
  return a.ndim() == 0 ? reshape(a, {1}) : a;
}
array atleast_2d(const array& a) {
  return a.ndim() < 2 ? reshape(a, {1, a.size()}) : a;
}
array atleast_3d(const array& a) {
  if (a.ndim() >= 3) return a;
  const array matrix = atleast_2d(a);
  return expand_dims(matrix, 2);
}
std::vector<array> atleast_1d(const std::vector<array>& arrays) {
  return each(arrays, [](const array& a) { return atleast_1d(a); });
}
std::vector<array> atleast_2d(const std::vector<array>& arrays) {
  return each(arrays, [](const array& a) { return atleast_2d(a); });
}
std::vector<array> atleast_3d(const std::vector<array>& arrays) {
  return each(arrays, [](const array& a) { return atleast_3d(a); });
}

}  // namespace tessera

#include "tessera/ops/moving_slice.h"

#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/scan.h"
#include "tessera/ops/scatter.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

// One scalar for each axis.
std::vector<array> starts_of(const char* op, const array& start, const std::vector<int>& axes) {
  detail::check_indices(op, start);
  if (start.ndim() > 1 || start.size() != static_cast<std::int64_t>(axes.size())) {
    fail(ErrorCode::invalid_argument, op, "{} starts for {} axes", detail::describe(start),
         axes.size());
  }
  std::vector<array> starts;
  const array flat = flatten(start);
  for (ShapeElem i = 0; i < flat.size(); ++i)
    starts.push_back(reshape(slice(flat, {i}, {i + 1}), {}));
  return starts;
}

}  // namespace

array slice(const array& a, const array& start, const std::vector<int>& axes,
            const Shape& slice_size) {
  const std::vector<array> starts = starts_of("slice", start, axes);
  if (starts.empty()) return slice(a, Shape(a.ndim(), 0), slice_size);
  return gather(a, starts, axes, slice_size);
}

array slice_update(const array& src, const array& update, const array& start,
                   const std::vector<int>& axes) {
  const std::vector<array> starts = starts_of("slice_update", start, axes);
  if (update.ndim() > src.ndim()) {
    fail(ErrorCode::shape_mismatch, "slice_update", "an update {} for {}", detail::describe(update),
         detail::describe(src));
  }
  Shape shape(src.ndim() - update.ndim(), 1);
  for (ShapeElem size : update.shape()) shape.push_back(size);
  if (starts.empty()) {
    return slice_update(src, reshape(update, shape), Shape(src.ndim(), 0), shape);
  }
  return scatter(src, starts, reshape(update, shape), axes);
}

array masked_scatter(const array& a, const array& mask, const array& src) {
  constexpr const char* kOp = "masked_scatter";
  if (mask.dtype() != bool_) {
    fail(ErrorCode::unsupported_dtype, kOp, "the mask must be bool, got {}",
         detail::describe(mask));
  }
  bool fits = mask.ndim() <= a.ndim();
  for (std::size_t i = 0; fits && i < mask.ndim(); ++i) fits = mask.shape()[i] == a.shape()[i];
  if (!fits) {
    fail(ErrorCode::shape_mismatch, kOp, "a mask {} for {}", detail::describe(mask),
         detail::describe(a));
  }
  Shape shape = mask.shape();
  shape.resize(a.ndim(), 1);
  const array chosen = broadcast_to(reshape(mask, shape), a.shape());
  const array values = astype(src, a.dtype());
  if (src.ndim() == 0) return where(chosen, values, a);
  const array rank = cumsum(flatten(chosen), 0, false, true, int64) - 1;
  // Where nothing is replaced any index will do, but not one out of range.
  const array index = where(flatten(chosen), rank, detail::scalar(0, int64, a.backend()));
  if (a.size() == 0) return a;
  return where(chosen, reshape(take(flatten(values), index), a.shape()), a);
}

array as_strided(const array& a, const Shape& shape, const Strides& strides, std::size_t offset) {
  constexpr const char* kOp = "as_strided";
  if (shape.size() != strides.size()) {
    fail(ErrorCode::invalid_argument, kOp, "{} sizes but {} strides", shape.size(), strides.size());
  }
  if (num_elements(shape) == 0) return full(shape, detail::scalar(0, a.dtype(), a.backend()));
  // In long double, where no product of a size and a stride overflows.
  long double first = static_cast<long double>(offset), last = first;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    (strides[i] < 0 ? first : last) += static_cast<long double>(strides[i]) * (shape[i] - 1);
  }
  if (first < 0 || last >= static_cast<long double>(a.size())) {
    fail(ErrorCode::invalid_argument, kOp,
         "shape {}, strides {} and offset {} reach past the {} elements of {}", to_string(shape),
         to_string(strides), offset, a.size(), detail::describe(a));
  }
  array index = detail::scalar(static_cast<double>(offset), int64, a.backend());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Shape along(shape.size(), 1);
    along[i] = shape[i];
    index = index + reshape(detail::count_up(shape[i], a.backend()), along) * strides[i];
  }
  return take(flatten(a), index);
}

array number_of_elements(const array& a, const std::vector<int>& axes, bool inverted, Dtype dtype) {
  double count = 1;
  for (int axis : axes) {
    count *= static_cast<double>(a.shape()[normalize_axis(axis, a.ndim(), "number_of_elements")]);
  }
  return detail::scalar(inverted ? 1.0 / count : count, dtype, a.backend());
}

}  // namespace tessera

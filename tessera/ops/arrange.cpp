#include "tessera/ops/arrange.h"

#include <algorithm>
#include <numeric>

#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

namespace {

// Elements from `start` to before `stop` of an axis.
array cut(const array& a, int axis, ShapeElem start, ShapeElem stop) {
  Shape from(a.ndim(), 0), to = a.shape();
  from[axis] = start;
  to[axis] = stop;
  return slice(a, std::move(from), std::move(to));
}

}  // namespace

array repeat(const array& arr, int repeats, int axis) {
  const int at = normalize_axis(axis, arr.ndim(), "repeat");
  if (repeats < 0)
    fail(ErrorCode::invalid_argument, "repeat", "{} repeats of each element", repeats);
  Shape shape = arr.shape();
  shape.insert(shape.begin() + at + 1, repeats);
  return flatten(broadcast_to(expand_dims(arr, at + 1), shape), at, at + 1);
}
array repeat(const array& arr, int repeats) {
  return repeat(flatten(arr), repeats, 0);
}

array tile(const array& arr, const std::vector<int>& reps) {
  const std::size_t rank = std::max(reps.size(), arr.ndim());
  Shape before, repeated, after;  // [size], [rep, size], [rep * size]
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t in_reps = i + reps.size(), in_shape = i + arr.ndim();
    const int rep = in_reps < rank ? 1 : reps[in_reps - rank];
    const ShapeElem size = in_shape < rank ? 1 : arr.shape()[in_shape - rank];
    if (rep < 0) fail(ErrorCode::invalid_argument, "tile", "{} repeats of an axis", rep);
    before.push_back(1), before.push_back(size);
    repeated.push_back(rep), repeated.push_back(size);
    after.push_back(rep * size);
  }
  return reshape(broadcast_to(reshape(arr, before), repeated), after);
}

array roll(const array& a, const Shape& shift, const std::vector<int>& axes) {
  if (axes.empty()) return a;
  if (shift.size() < axes.size()) {
    fail(ErrorCode::invalid_argument, "roll", "{} shifts for {} axes", shift.size(), axes.size());
  }
  array out = a;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis(axes[i], a.ndim(), "roll");
    const ShapeElem size = a.shape()[axis];
    if (size == 0) continue;
    const ShapeElem on = (shift[i] % size + size) % size;
    if (on == 0) continue;
    out = concatenate({cut(out, axis, size - on, size), cut(out, axis, 0, size - on)}, axis);
  }
  return out;
}
array roll(const array& a, int shift) {
  return reshape(roll(flatten(a), Shape{shift}, std::vector<int>{0}), a.shape());
}
array roll(const array& a, const Shape& shift) {
  const ShapeElem total = std::accumulate(shift.begin(), shift.end(), ShapeElem{0});
  return reshape(roll(flatten(a), Shape{total}, std::vector<int>{0}), a.shape());
}
array roll(const array& a, int shift, int axis) {
  return roll(a, Shape{shift}, std::vector<int>{axis});
}
array roll(const array& a, int shift, const std::vector<int>& axes) {
  return roll(a, Shape(axes.size(), shift), axes);
}
array roll(const array& a, const Shape& shift, int axis) {
  const ShapeElem total = std::accumulate(shift.begin(), shift.end(), ShapeElem{0});
  return roll(a, Shape{total}, std::vector<int>{axis});
}

std::vector<array> split(const array& a, const Shape& indices, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "split");
  std::vector<array> parts;
  ShapeElem start = 0;
  for (ShapeElem index : indices) {
    parts.push_back(cut(a, at, start, index));
    start = index;
  }
  parts.push_back(cut(a, at, start, a.shape()[at]));
  return parts;
}

std::vector<array> unstack(const array& a, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "unstack");
  std::vector<array> out;
  for (ShapeElem i = 0; i < a.shape()[at]; ++i) {
    out.push_back(squeeze(cut(a, at, i, i + 1), at));
  }
  return out;
}

array take(const array& a, int index, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "take");
  const ShapeElem size = a.shape()[at], place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) {
    fail(ErrorCode::invalid_argument, "take", "index {} is out of range for axis {} of {}", index,
         axis, detail::describe(a));
  }
  return squeeze(cut(a, at, place, place + 1), at);
}
array take(const array& a, int index) {
  return take(flatten(a), index, 0);
}

std::vector<array> broadcast_arrays(const std::vector<array>& inputs) {
  Shape shape;
  for (const array& a : inputs) shape = broadcast_shapes(shape, a.shape(), "broadcast_arrays");
  std::vector<array> out;
  for (const array& a : inputs) out.push_back(broadcast_to(a, shape));
  return out;
}

std::vector<array> meshgrid(const std::vector<array>& arrays, bool sparse,
                            const std::string& indexing) {
  if (indexing != "xy" && indexing != "ij") {
    fail(ErrorCode::invalid_argument, "meshgrid", "indexing \"{}\" is neither \"xy\" nor \"ij\"",
         indexing);
  }
  const bool swapped = indexing == "xy" && arrays.size() > 1;
  std::vector<array> out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    Shape shape(arrays.size(), 1);
    shape[swapped && i < 2 ? 1 - i : i] = arrays[i].size();
    out.push_back(reshape(arrays[i], std::move(shape)));
  }
  return sparse ? out : broadcast_arrays(out);
}

array diff(const array& a, int n, int axis) {
  const int at = normalize_axis(axis, a.ndim(), "diff");
  if (n < 0) fail(ErrorCode::invalid_argument, "diff", "n is {}, below 0", n);
  array out = a;
  for (int i = 0; i < n; ++i) {
    const ShapeElem size = out.shape()[at];
    const array later = cut(out, at, 1, size),
                earlier = cut(out, at, 0, std::max<ShapeElem>(size - 1, 0));
    out = out.dtype() == bool_ ? not_equal(later, earlier) : subtract(later, earlier);
  }
  return out;
}

}  // namespace tessera

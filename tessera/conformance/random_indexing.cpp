// Gather and scatter in all their forms, element by element.
#include <algorithm>

#include "tessera/conformance/internal/draw.h"
#include "tessera/conformance/internal/tolerance.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

/// Integers that index an axis of `size`, some of them negative.
Drawn indices(Draw& draw, const Shape& shape, ShapeElem size) {
  const double low = draw.chance(0.5) ? -static_cast<double>(size) : 0;
  return draw.values(shape, draw.one_of<Dtype>({int32, int64}), low, static_cast<double>(size - 1));
}

ShapeElem wrapped(double index, ShapeElem size) {
  const auto i = static_cast<ShapeElem>(index);
  return i < 0 ? i + size : i;
}

Dtype any_dtype(Draw& draw) {
  return draw.one_of<Dtype>({float32, float16, bfloat16, int32, uint8});
}

void take_case(Draw& draw) {
  draw.note("take of");
  const Drawn x = draw.values(draw.shape(1, 4, false), any_dtype(draw), 0, 9);
  const int axis = draw.axis(x.values.shape);
  const ShapeElem size = x.values.shape[axis];
  draw.note("axis {}, indices", axis);
  const Drawn at = indices(draw, draw.shape(0, 2), size);
  Shape shape(x.values.shape.begin(), x.values.shape.begin() + axis);
  const std::size_t rank = at.values.shape.size();
  for (const ShapeElem n : at.values.shape) shape.push_back(n);
  for (std::size_t k = axis + 1; k < x.values.shape.size(); ++k) shape.push_back(x.values.shape[k]);
  Values want(shape);
  for_each_index(shape, [&](const Shape& i) {
    Shape from(i.begin(), i.begin() + axis);
    const Shape place(i.begin() + axis, i.begin() + axis + rank);
    from.push_back(wrapped(at.values.at(place), size));
    for (std::size_t k = axis + rank; k < i.size(); ++k) from.push_back(i[k]);
    want.at(i) = x.values.at(from);
  });
  expect_near(take(x.a, at.a, axis), want, x.a.dtype(), {});
}

void along_axis_case(Draw& draw) {
  draw.note("take_along_axis and put_along_axis of");
  const Drawn x = draw.values(draw.shape(1, 4, false), any_dtype(draw), 0, 9);
  const int axis = draw.axis(x.values.shape);
  const ShapeElem size = x.values.shape[axis];
  Shape shape = x.values.shape;
  shape[axis] = draw.between(0, 4);
  draw.note("axis {}, indices and values", axis);
  const Drawn at = indices(draw, shape, size);
  const Drawn put = draw.values(shape, x.a.dtype(), 0, 9);
  Values taken(shape), replaced = x.values;
  for_each_index(shape, [&](const Shape& i) {
    Shape place = i;
    place[axis] = wrapped(at.values.at(i), size);
    taken.at(i) = x.values.at(place);
    replaced.at(place) = put.values.at(i);  // the last one wins
  });
  expect_near(take_along_axis(x.a, at.a, axis), taken, x.a.dtype(), {});
  expect_near(put_along_axis(x.a, at.a, put.a, axis), replaced, x.a.dtype(), {});
}

struct Combine {
  const char* name;
  array (*call)(const array&, const std::vector<array>&, const array&, const std::vector<int>&);
  double (*fold)(double, double);
};

const std::vector<Combine>& combines() {
  static const std::vector<Combine> all = {
      {"scatter", scatter, [](double, double b) { return b; }},
      {"scatter_add", scatter_add, [](double a, double b) { return a + b; }},
      {"scatter_max", scatter_max, [](double a, double b) { return std::max(a, b); }},
      {"scatter_min", scatter_min, [](double a, double b) { return std::min(a, b); }},
      {"scatter_prod", scatter_prod, [](double a, double b) { return a * b; }}};
  return all;
}

void scatter_case(Draw& draw) {
  const Combine& how = draw.one_of(combines());
  const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32});
  draw.note("{} and gather of", how.name);
  const Drawn x = draw.values(draw.shape(1, 4, false), dtype, 0, 2);
  const std::size_t rank = x.values.shape.size();
  std::vector<int> axes;
  Shape slice_sizes = x.values.shape;
  for (std::size_t k = 0; k < rank; ++k) {
    if (!draw.chance(0.5)) continue;
    axes.push_back(static_cast<int>(k));
    slice_sizes[k] = draw.between(1, x.values.shape[k]);
  }
  draw.note("slices {}, indices", to_string(slice_sizes));
  const Shape lead = axes.empty() ? Shape{} : draw.shape(0, 2);
  std::vector<array> at;
  std::vector<Values> starts;
  for (const int axis : axes) {
    const ShapeElem places = x.values.shape[axis] - slice_sizes[axis] + 1;
    Drawn drawn = draw.values(lead, int32, 0, static_cast<double>(places - 1));
    at.push_back(drawn.a);
    starts.push_back(drawn.values);
  }
  Shape shape = lead;
  for (const ShapeElem n : slice_sizes) shape.push_back(n);
  draw.note("updates");
  const Drawn updates = draw.values(shape, dtype, 0, 2);
  const auto place = [&](const Shape& i) {
    Shape to(i.begin() + lead.size(), i.end());
    const Shape which(i.begin(), i.begin() + lead.size());
    for (std::size_t k = 0; k < axes.size(); ++k) {
      to[axes[k]] += static_cast<ShapeElem>(starts[k].at(which));
    }
    return to;
  };
  Values gathered(shape), scattered = x.values, magnitude = x.values;
  for_each_index(shape, [&](const Shape& i) {
    gathered.at(i) = x.values.at(place(i));
    double& to = scattered.at(place(i));
    to = how.fold(to, updates.values.at(i));
    magnitude.at(place(i)) += 1e-6 * (std::abs(to) + 2);
  });
  for (std::size_t k = 0; k < magnitude.v.size(); ++k) magnitude.v[k] -= x.values.v[k];
  expect_near(gather(x.a, at, axes, slice_sizes), gathered, dtype, {});
  expect_near(how.call(x.a, at, updates.a, axes), scattered, dtype, {}, &magnitude);
}

}  // namespace

std::vector<RandomCase> random_indexing() {
  return {{"take", take_case}, {"along_axis", along_axis_case}, {"scatter", scatter_case}};
}

}  // namespace tessera::conformance

// Sorting, partitioning and searching on random lines with many ties.
#include <algorithm>
#include <numeric>

#include "tessera/conformance/internal/behaviour.h"
#include "tessera/conformance/internal/draw.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

/// change(the line of elements along the axis) for every line.
template <class Change>
Values by_line(const Values& x, int axis, Change change) {
  Values out = x;
  Shape lines = x.shape;
  const ShapeElem length = lines[axis];
  lines[axis] = 1;
  for_each_index(lines, [&](Shape i) {
    std::vector<double> line;
    for (i[axis] = 0; i[axis] < length; ++i[axis]) line.push_back(x.at(i));
    line = change(std::move(line));
    for (i[axis] = 0; i[axis] < length; ++i[axis])
      out.at(i) = line[static_cast<std::size_t>(i[axis])];
  });
  return out;
}

std::vector<double> sorted(std::vector<double> line) {
  std::sort(line.begin(), line.end());
  return line;
}

std::vector<double> order_of(const std::vector<double>& line) {
  std::vector<double> order(line.size());
  std::iota(order.begin(), order.end(), 0.0);
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
    return line[static_cast<std::size_t>(a)] < line[static_cast<std::size_t>(b)];
  });
  return order;
}

struct Lines {
  Drawn x;
  int axis;
};

Lines lines(Draw& draw, bool may_be_empty) {
  const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32, uint8, int8});
  // Whole numbers also in floating dtypes, so that there are ties.
  const Drawn whole = draw.values(draw.shape(1, 4, may_be_empty), int32, 0, 6);
  draw.note("as {}", to_string(dtype));
  const int axis = draw.axis(whole.values.shape);
  draw.note("axis {}", axis);
  return {{astype(whole.a, dtype), whole.values}, axis};
}

void sort_case(Draw& draw) {
  draw.note("sort and argsort of");
  const Lines l = lines(draw, true);
  expect_near(sort(l.x.a, l.axis), by_line(l.x.values, l.axis, sorted), l.x.a.dtype(), {});
  expect_near(argsort(l.x.a, l.axis), by_line(l.x.values, l.axis, order_of), uint32, {});
}

void partition_case(Draw& draw) {
  draw.note("partition and topk of");
  const Lines l = lines(draw, false);
  const ShapeElem length = l.x.values.shape[l.axis];
  const int kth = static_cast<int>(draw.between(0, length - 1));
  draw.note("kth {}", kth);
  // Both sides are left in any order: sort them, and it is the sorted line.
  const auto settle = [kth](std::vector<double> line) {
    std::sort(line.begin(), line.begin() + kth);
    std::sort(line.begin() + kth + 1, line.end());
    return line;
  };
  const Values got = by_line(to_values(partition(l.x.a, kth, l.axis)), l.axis, settle);
  expect(got.v == by_line(l.x.values, l.axis, sorted).v, "the parts are not those of a sort");
  const array order = argpartition(l.x.a, kth, l.axis);
  expect(order.dtype() == uint32, "argpartition gives {}", to_string(order.dtype()));
  const Values through = by_line(to_values(take_along_axis(l.x.a, order, l.axis)), l.axis, settle);
  expect(through.v == got.v, "argpartition gives other parts than partition");
}

void search_case(Draw& draw) {
  const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32});
  draw.note("searchsorted in");
  const Drawn line = draw.values({draw.size()}, int32, 0, 20);
  const Values order = by_line(line.values, 0, sorted);
  draw.note("as {}, for", to_string(dtype));
  const Drawn x = draw.values(draw.shape(0, 3), int32, -1, 21);
  const bool right = draw.chance(0.5);
  Values want(x.values.shape);
  for (std::size_t k = 0; k < want.v.size(); ++k) {
    const double value = x.values.v[k];
    want.v[k] = static_cast<double>(std::count_if(
        order.v.begin(), order.v.end(), [&](double e) { return right ? e <= value : e < value; }));
  }
  expect_near(searchsorted(to_array(order, dtype), astype(x.a, dtype), right ? "right" : "left"),
              want, uint32, {});
}

}  // namespace

std::vector<RandomCase> random_order() {
  return {{"sort", sort_case}, {"partition", partition_case}, {"search", search_case}};
}

}  // namespace tessera::conformance

// Reductions, norms and running totals on random shapes, axes, layouts and dtypes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tessera/conformance/internal/draw.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<int> some_axes(Draw& draw, const Shape& shape) {
  std::vector<int> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (draw.chance(0.5)) axes.push_back(static_cast<int>(i));
  }
  if (axes.empty() && !shape.empty()) axes.push_back(draw.axis(shape));
  return axes;
}

Shape with_ones(Shape shape, const std::vector<int>& axes) {
  for (const int axis : axes) shape[axis] = 1;
  return shape;
}

Shape without(const Shape& shape, const std::vector<int>& axes, bool keepdims) {
  Shape out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
    if (!reduced || keepdims) out.push_back(reduced ? 1 : shape[i]);
  }
  return out;
}

/// fold over the axes, in a shape that keeps them with size 1.
template <class Fold>
Values reduced(const Values& x, const std::vector<int>& axes, double start, Fold fold) {
  Values out(with_ones(x.shape, axes), start);
  for_each_index(x.shape, [&](const Shape& i) { out.at(i) = fold(out.at(i), x.at(i)); });
  return out;
}

double plus(double a, double b) {
  return a + b;
}
double plus_magnitude(double a, double b) {
  return a + std::abs(b);
}
double larger(double a, double b) {
  return std::max(a, b);
}
double smaller(double a, double b) {
  return std::min(a, b);
}

/// Room for the rounding of float32 sums, by the magnitude of what was added.
Values room(Values magnitude, double factor = 1e-6) {
  for (double& x : magnitude.v) x *= factor;
  return magnitude;
}

Values reshaped(Values x, const Shape& shape) {
  x.shape = shape;
  return x;
}

void sum_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  draw.note("sum and mean of");
  const Drawn x = draw.values(draw.shape(0, 5), dtype);
  const std::vector<int> axes = some_axes(draw, x.values.shape);
  const bool keepdims = draw.chance(0.5);
  draw.note("over {} axes", axes.size());
  const Shape shape = without(x.values.shape, axes, keepdims);
  const Values total = reshaped(reduced(x.values, axes, 0, plus), shape);
  const Values slack = room(reshaped(reduced(x.values, axes, 0, plus_magnitude), shape));
  expect_near(sum(x.a, axes, keepdims), total, dtype, {}, &slack);
  double count = 1;
  for (const int axis : axes) count *= static_cast<double>(x.values.shape[axis]);
  Values average = total, mean_slack = slack;
  for (double& v : average.v) v /= count;
  for (double& v : mean_slack.v) v /= std::max(count, 1.0);
  expect_near(mean(x.a, axes, keepdims), average, dtype, {1}, &mean_slack);
}

void integer_case(Draw& draw) {
  struct Kind {
    Dtype from, to;
  };
  const Kind kind = draw.one_of<Kind>({{bool_, int32},
                                       {uint8, uint32},
                                       {int8, int32},
                                       {int32, int32},
                                       {int64, int64},
                                       {uint32, uint32}});
  draw.note("sum, all and any of");
  const double low = kind.from == int8 || kind.from == int32 || kind.from == int64 ? -100 : 0;
  const Drawn x = draw.values(draw.shape(0, 5), kind.from, low, kind.from == bool_ ? 1 : 100);
  const std::vector<int> axes = some_axes(draw, x.values.shape);
  const Shape shape = without(x.values.shape, axes, false);
  expect_near(sum(x.a, axes), reshaped(reduced(x.values, axes, 0, plus), shape), kind.to, {});
  expect_near(all(x.a, axes),
              reshaped(reduced(x.values, axes, 1,
                               [](double a, double b) { return double(a != 0 && b != 0); }),
                       shape),
              bool_, {});
  expect_near(any(x.a, axes),
              reshaped(reduced(x.values, axes, 0,
                               [](double a, double b) { return double(a != 0 || b != 0); }),
                       shape),
              bool_, {});
}

void extreme_case(Draw& draw) {
  const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32, uint8, int8});
  draw.note("max, min, argmax and argmin of");
  const double low = dtype == uint8 ? 0 : -5;
  const Drawn x = draw.values(draw.shape(1, 5, false), dtype, low, 5);
  const std::vector<int> axes = some_axes(draw, x.values.shape);
  const bool keepdims = draw.chance(0.5);
  const Shape shape = without(x.values.shape, axes, keepdims);
  expect_near(max(x.a, axes, keepdims),
              reshaped(reduced(x.values, axes, -kInfinity, larger), shape), dtype, {});
  expect_near(min(x.a, axes, keepdims),
              reshaped(reduced(x.values, axes, kInfinity, smaller), shape), dtype, {});

  const int axis = draw.axis(x.values.shape);
  draw.note("axis {}", axis);
  Values top(with_ones(x.values.shape, {axis}), -kInfinity), at(top.shape);
  for_each_index(x.values.shape, [&](const Shape& i) {
    if (x.values.at(i) > top.at(i)) {
      top.at(i) = x.values.at(i);
      at.at(i) = static_cast<double>(i[axis]);
    }
  });
  expect_near(argmax(x.a, axis, keepdims), reshaped(at, without(x.values.shape, {axis}, keepdims)),
              uint32, {});
}

void softmax_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  draw.note("softmax and logsumexp of");
  const Drawn x = draw.values(draw.shape(1, 5, false), dtype, -8, 8);
  const std::vector<int> axes = some_axes(draw, x.values.shape);
  draw.note("over {} axes", axes.size());
  const Values total =
      reduced(x.values, axes, 0, [](double a, double b) { return a + std::exp(b); });
  Values want(x.values.shape), logs = total;
  for_each_index(want.shape,
                 [&](const Shape& i) { want.at(i) = std::exp(x.values.at(i)) / total.at(i); });
  for (double& v : logs.v) v = std::log(v);
  // Over some axes at once the sum has thousands of addends.
  const double ulps = dtype == float32 ? 48 : 1;
  expect_near(softmax(x.a, axes), want, dtype, {ulps});
  expect_near(logsumexp(x.a, axes, true), logs, dtype, {8, 1e-6});
}

void norm_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  draw.note("norms of");
  const Drawn x = draw.values(draw.shape(1, 4, false), dtype);
  const Shape width{x.values.shape.back()};
  const Drawn weight = draw.values(width, dtype, 0.5, 1.5), bias = draw.values(width, dtype);
  const std::vector<int> last{static_cast<int>(x.values.shape.size()) - 1};
  const double n = static_cast<double>(width[0]), eps = 1e-3;
  const Values total = reduced(x.values, last, 0, plus);
  const Values squares = reduced(x.values, last, 0, [](double a, double b) { return a + b * b; });
  Values deviation(total.shape);
  for_each_index(x.values.shape, [&](const Shape& i) {
    const double d = x.values.at(i) - total.at(i) / n;
    deviation.at(i) += d * d;
  });
  Values rms(x.values.shape), layer(x.values.shape);
  for_each_index(x.values.shape, [&](const Shape& i) {
    const double w = weight.values.at(i);
    rms.at(i) = x.values.at(i) / std::sqrt(squares.at(i) / n + eps) * w;
    layer.at(i) = (x.values.at(i) - total.at(i) / n) / std::sqrt(deviation.at(i) / n + eps) * w +
                  bias.values.at(i);
  });
  expect_near(fast::rms_norm(x.a, weight.a, float(eps)), rms, dtype, {8, 1e-6});
  expect_near(fast::layer_norm(x.a, weight.a, bias.a, float(eps)), layer, dtype, {8, 4e-6});
}

using Scan = array (*)(const array&, int, bool, bool);

void scan_case(Draw& draw) {
  struct Kind {
    const char* name;
    double start;
    double (*fold)(double, double);
  };
  const Kind kind = draw.one_of<Kind>({{"cumsum", 0, plus},
                                       {"cumprod", 1, [](double a, double b) { return a * b; }},
                                       {"cummax", -kInfinity, larger},
                                       {"cummin", kInfinity, smaller}});
  const Dtype dtype = draw.floating();
  const bool reverse = draw.chance(0.5), inclusive = draw.chance(0.5);
  draw.note("{}{}{} of", kind.name, reverse ? " reverse" : "", inclusive ? "" : " exclusive");
  const Drawn x = draw.values(draw.shape(1, 4), dtype, 0.8, 1.2);
  const int axis = draw.axis(x.values.shape);
  draw.note("axis {}", axis);
  const std::string name = kind.name;
  const array got = name == "cumsum"    ? cumsum(x.a, axis, reverse, inclusive)
                    : name == "cumprod" ? cumprod(x.a, axis, reverse, inclusive)
                    : name == "cummax"  ? cummax(x.a, axis, reverse, inclusive)
                                        : cummin(x.a, axis, reverse, inclusive);
  Values want(x.values.shape), magnitude(x.values.shape);
  const ShapeElem length = x.values.shape[axis];
  for_each_index(want.shape, [&](const Shape& i) {
    double total = kind.start;
    for (ShapeElem j = 0; j < length; ++j) {
      const bool before = reverse ? j > i[axis] : j < i[axis];
      if (!before && !(inclusive && j == i[axis])) continue;
      Shape from = i;
      from[axis] = j;
      total = kind.fold(total, x.values.at(from));
    }
    want.at(i) = total;
    magnitude.at(i) = std::isfinite(total) ? std::abs(total) : 0;
  });
  const Values slack = room(magnitude, 4e-6);
  expect_near(got, want, dtype, {}, &slack);
}

}  // namespace

std::vector<RandomCase> random_reductions() {
  return {{"sums", sum_case},        {"integer_sums", integer_case}, {"extremes", extreme_case},
          {"softmax", softmax_case}, {"norms", norm_case},           {"scans", scan_case}};
}

}  // namespace tessera::conformance

// Elementwise ops on random shapes, layouts and dtypes, against <cmath> in double.
#include <cmath>

#include "tessera/conformance/internal/draw.h"
#include "tessera/conformance/internal/tolerance.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

struct Unary {
  const char* op;
  array (*call)(const array&);
  double (*reference)(double);
  double low, high;
};

double sigmoid_of(double x) {
  return 1 / (1 + std::exp(-x));
}
double gelu_of(double x) {
  return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}

const std::vector<Unary>& unary_ops() {
  static const std::vector<Unary> all = {
      {"exp", exp, [](double x) { return std::exp(x); }, -9, 9},
      {"log", log, [](double x) { return std::log(x); }, 0.01, 99},
      {"log1p", log1p, [](double x) { return std::log1p(x); }, -0.9, 9},
      {"sin", sin, [](double x) { return std::sin(x); }, -9, 9},
      {"cos", cos, [](double x) { return std::cos(x); }, -9, 9},
      {"sqrt", sqrt, [](double x) { return std::sqrt(x); }, 0, 99},
      {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.01, 99},
      {"tanh", tanh, [](double x) { return std::tanh(x); }, -4, 4},
      {"erf", erf, [](double x) { return std::erf(x); }, -4, 4},
      {"sigmoid", sigmoid, sigmoid_of, -9, 9},
      {"silu", silu, [](double x) { return x * sigmoid_of(x); }, -9, 9},
      {"gelu", gelu, gelu_of, -4, 4},
      {"reciprocal", reciprocal, [](double x) { return 1 / x; }, 0.1, 9},
      {"negative", negative, [](double x) { return -x; }, -9, 9},
      {"abs", abs, [](double x) { return std::abs(x); }, -9, 9},
      {"square", square, [](double x) { return x * x; }, -9, 9},
      {"floor", floor, [](double x) { return std::floor(x); }, -9, 9},
      {"ceil", ceil, [](double x) { return std::ceil(x); }, -9, 9},
  };
  return all;
}

void unary_case(Draw& draw) {
  for (int i = 0; i < 3; ++i) {
    const Unary& op = draw.one_of(unary_ops());
    const Dtype dtype = draw.floating();
    draw.note("{} of", op.op);
    const Drawn x = draw.values(draw.shape(0, 5), dtype, op.low, op.high);
    Values want = x.values;
    for (double& v : want.v) v = op.reference(v);
    expect_near(op.call(x.a), want, dtype, tolerance_of(op.op, dtype));
  }
}

struct Binary {
  const char* op;
  array (*call)(const array&, const array&);
  double (*reference)(double, double);
  bool gives_bool;
};

const std::vector<Binary>& binary_ops() {
  static const std::vector<Binary> all = {
      {"add", add, [](double a, double b) { return a + b; }, false},
      {"subtract", subtract, [](double a, double b) { return a - b; }, false},
      {"multiply", multiply, [](double a, double b) { return a * b; }, false},
      {"maximum", maximum, [](double a, double b) { return std::max(a, b); }, false},
      {"minimum", minimum, [](double a, double b) { return std::min(a, b); }, false},
      {"equal", equal, [](double a, double b) { return double(a == b); }, true},
      {"not_equal", not_equal, [](double a, double b) { return double(a != b); }, true},
      {"less", less, [](double a, double b) { return double(a < b); }, true},
      {"less_equal", less_equal, [](double a, double b) { return double(a <= b); }, true},
      {"greater", greater, [](double a, double b) { return double(a > b); }, true},
      {"greater_equal", greater_equal, [](double a, double b) { return double(a >= b); }, true},
      {"logical_and", logical_and, [](double a, double b) { return double(a != 0 && b != 0); },
       true},
      {"logical_or", logical_or, [](double a, double b) { return double(a != 0 || b != 0); }, true},
  };
  return all;
}

Values map2(const Shape& shape, const Values& a, const Values& b, double (*f)(double, double)) {
  Values out(shape);
  for_each_index(shape, [&](const Shape& i) { out.at(i) = f(a.at(i), b.at(i)); });
  return out;
}

void binary_case(Draw& draw) {
  for (int i = 0; i < 3; ++i) {
    const Binary& op = draw.one_of(binary_ops());
    const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32});
    draw.note("{} of", op.op);
    const Shape shape = draw.shape(0, 5);
    const Drawn a = draw.values(draw.chance(0.5) ? shape : draw.broadcastable(shape), dtype, -3, 3);
    const Drawn b = draw.values(draw.broadcastable(shape), dtype, -3, 3);
    const Shape out = broadcast_shapes(a.values.shape, b.values.shape, op.op);
    expect_near(op.call(a.a, b.a), map2(out, a.values, b.values, op.reference),
                op.gives_bool ? bool_ : dtype, {});
  }
}

// Two dtypes meet in the one that MLX promotes them to.
void promotion_case(Draw& draw) {
  const std::vector<Dtype> all = {bool_, uint8, int8, int32, int64, float16, bfloat16, float32};
  const Dtype left = draw.one_of(all), right = draw.one_of(all);
  const Shape shape = draw.shape(0, 4);
  draw.note("maximum of");
  const Drawn a = draw.values(shape, left, 0, left == bool_ ? 1 : 9);
  const Drawn b = draw.values(draw.broadcastable(shape), right, 0, right == bool_ ? 1 : 9);
  const Dtype dtype = promote_types(left, right);
  expect_near(maximum(a.a, b.a),
              map2(shape, a.values, b.values, [](double x, double y) { return std::max(x, y); }),
              dtype, {});
}

void divide_and_power_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const Shape shape = draw.shape(0, 4);
  draw.note("divide and power of");
  const Drawn a = draw.values(shape, dtype, 0.2, 4);
  const Drawn b = draw.values(draw.broadcastable(shape), dtype, 0.2, 3);
  expect_near(divide(a.a, b.a),
              map2(shape, a.values, b.values, [](double x, double y) { return x / y; }), dtype, {});
  expect_near(power(a.a, b.a),
              map2(shape, a.values, b.values, [](double x, double y) { return std::pow(x, y); }),
              dtype, tolerance_of("power", dtype));
}

void where_case(Draw& draw) {
  const Dtype dtype = draw.one_of<Dtype>({float32, float16, bfloat16, int32, uint8});
  const Shape shape = draw.shape(0, 5);
  draw.note("where of");
  const Drawn c = draw.values(draw.broadcastable(shape), bool_, 0, 1);
  const Drawn x = draw.values(shape, dtype, 0, 9);
  const Drawn y = draw.values(draw.broadcastable(shape), dtype, 0, 9);
  Values want(shape);
  for_each_index(shape, [&](const Shape& i) {
    want.at(i) = c.values.at(i) != 0 ? x.values.at(i) : y.values.at(i);
  });
  expect_near(where(c.a, x.a, y.a), want, dtype, {});
}

}  // namespace

std::vector<RandomCase> random_elementwise() {
  return {{"unary", unary_case},
          {"binary", binary_case},
          {"promotion", promotion_case},
          {"divide_and_power", divide_and_power_case},
          {"where", where_case}};
}

}  // namespace tessera::conformance

// Matrix products of every kind, as sums in double.
#include <cmath>

#include "tessera/conformance/internal/draw.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

// Of a sum of rounded products in float32: far more than its rounding, far less than a lost addend.
constexpr double kRoom = 2e-6;

struct Product {
  Values value;
  Values slack;
};

/// Over the last axis of a and the second-last of b, whose first axes broadcast to those of
/// `shape`.
Product product(const Shape& shape, const Values& a, const Values& b) {
  Product out{Values(shape), Values(shape)};
  const std::size_t rank = shape.size();
  for_each_index(shape, [&](const Shape& i) {
    Shape left = i, right = i;
    for (ShapeElem k = 0; k < a.shape.back(); ++k) {
      left[rank - 1] = k;
      right[rank - 2] = k;
      const double term = a.at(left) * b.at(right);
      out.value.at(i) += term;
      out.slack.at(i) += kRoom * std::abs(term);
    }
  });
  return out;
}

Values swapped(const Values& x) {
  Shape shape = x.shape;
  std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  Values out(shape);
  for_each_index(shape, [&](Shape i) {
    const Shape to = i;
    std::swap(i[i.size() - 1], i[i.size() - 2]);
    out.at(to) = x.at(i);
  });
  return out;
}

void matmul_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const Shape batch = draw.shape(0, 2);
  const ShapeElem m = draw.size(), n = draw.size(), k = draw.size();
  Shape a = draw.chance(0.5) ? batch : draw.broadcastable(batch), b = draw.broadcastable(batch);
  Shape shape = broadcast_shapes(a, b, "matmul");
  for (auto [to, rows, columns] : {std::tuple(&a, m, k), {&b, k, n}, {&shape, m, n}}) {
    to->push_back(rows);
    to->push_back(columns);
  }
  draw.note("matmul of");
  const Drawn x = draw.values(a, dtype), y = draw.values(b, dtype);
  const Product want = product(shape, x.values, y.values);
  expect_near(matmul(x.a, y.a), want.value, dtype, {}, &want.slack);
}

void linear_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const Dtype stored = draw.chance(0.5) ? dtype : draw.floating();
  Shape x_shape = draw.shape(1, 3);
  const ShapeElem n = draw.size();
  draw.note("linear of");
  const Drawn x = draw.values(x_shape, dtype), w = draw.values({n, x_shape.back()}, stored);
  const Drawn bias = draw.values({n}, dtype);
  const bool has_bias = draw.chance(0.5);
  Values rows = x.values;
  if (rows.shape.size() == 1) rows.shape = {1, x_shape[0]};
  Shape shape = rows.shape;
  shape.back() = n;
  Product want = product(shape, rows, swapped(w.values));
  if (has_bias) {
    for_each_index(shape, [&](const Shape& i) {
      want.value.at(i) += bias.values.at(i);
      want.slack.at(i) += kRoom * std::abs(bias.values.at(i));
    });
  }
  x_shape.back() = n;
  want.value.shape = want.slack.shape = x_shape;
  const Dtype out = promote_types(dtype, stored);
  expect_near(has_bias ? linear(x.a, w.a, bias.a) : linear(x.a, w.a), want.value, out, {},
              &want.slack);
}

void quantized_case(Draw& draw) {
  struct Format {
    const char* mode;
    int group_size, bits;
  };
  const Format f = draw.one_of<Format>({{"affine", 32, 4},
                                        {"affine", 64, 8},
                                        {"affine", 128, 2},
                                        {"affine", 32, 3},
                                        {"affine", 64, 6},
                                        {"symmetric", 32, 8},
                                        {"mxfp4", 32, 4},
                                        {"mxfp8", 32, 8},
                                        {"nvfp4", 16, 4}});
  const Dtype dtype = draw.floating();
  const bool transpose = draw.chance(0.6);
  const ShapeElem whole = draw.between(1, 2) * 128, other = draw.between(1, 9);
  draw.note("quantized_matmul {} {} {}{} of", f.mode, f.group_size, f.bits,
            transpose ? "" : " not transposed");
  const Drawn w = draw.values({transpose ? other : whole / 8, whole}, dtype);
  const Drawn x = draw.values({draw.between(1, 9), transpose ? whole : whole / 8}, dtype);
  const std::vector<array> q = quantize(w.a, f.group_size, f.bits, f.mode);
  const std::optional<array> biases = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
  // Codes and scales have goldens of their own; here it is the product that is checked, from
  // weights expanded without a rounding in between.
  const std::optional<array> wide = biases ? std::optional(astype(*biases, float32)) : std::nullopt;
  const bool codes = is_floating(q[1].dtype());
  const Values expanded =
      to_values(dequantize(q[0], codes ? astype(q[1], float32) : q[1], wide, f.group_size, f.bits,
                           f.mode, std::nullopt, float32));
  const Values matrix = transpose ? swapped(expanded) : expanded;
  const Product want = product({x.values.shape[0], matrix.shape[1]}, x.values, matrix);
  expect_near(quantized_matmul(x.a, q[0], q[1], biases, transpose, f.group_size, f.bits, f.mode),
              want.value, dtype, {}, &want.slack);
}

void gathered_case(Draw& draw) {
  const Dtype dtype = draw.floating();
  const ShapeElem lefts = draw.between(1, 4), rights = draw.between(1, 4), k = draw.size();
  draw.note("gather_mm of");
  const Drawn a = draw.values({lefts, draw.size(), k}, dtype);
  const Drawn b = draw.values({rights, k, draw.size()}, dtype);
  const Shape chosen = draw.shape(1, 2);
  const Drawn lhs = draw.values(chosen, uint32, 0, static_cast<double>(lefts - 1));
  const Drawn rhs = draw.values(chosen, uint32, 0, static_cast<double>(rights - 1));
  Shape shape = chosen;
  shape.push_back(a.values.shape[1]);
  shape.push_back(b.values.shape[2]);
  Values want(shape), slack(shape);
  for_each_index(shape, [&](const Shape& i) {
    const Shape which(i.begin(), i.end() - 2);
    for (ShapeElem j = 0; j < k; ++j) {
      const double term =
          a.values.at({static_cast<ShapeElem>(lhs.values.at(which)), i[i.size() - 2], j}) *
          b.values.at({static_cast<ShapeElem>(rhs.values.at(which)), j, i[i.size() - 1]});
      want.at(i) += term;
      slack.at(i) += kRoom * std::abs(term);
    }
  });
  expect_near(gather_mm(a.a, b.a, lhs.a, rhs.a), want, dtype, {}, &slack);
}

}  // namespace

std::vector<RandomCase> random_products() {
  return {{"matmul", matmul_case},
          {"linear", linear_case},
          {"quantized_products", quantized_case},
          {"gathered_products", gathered_case}};
}

}  // namespace tessera::conformance

#include "tessera/nn/init.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/random.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/sort.h"

namespace tessera::nn::init {

namespace {

void check_matrix(const char* where, const array& a) {
  if (a.ndim() == 2) return;
  fail(ErrorCode::shape_mismatch, where, "needs a matrix, got {}", to_string(a.shape()));
}

struct Fans {
  double in, out;
};

Fans fans(const char* where, const array& a) {
  if (a.ndim() < 2) {
    fail(ErrorCode::shape_mismatch, where, "needs at least two axes, got {}", to_string(a.shape()));
  }
  double kernel = 1;
  for (std::size_t axis = 1; axis + 1 < a.ndim(); ++axis) kernel *= double(a.shape()[axis]);
  return {double(a.shape(-1)) * kernel, double(a.shape(0)) * kernel};
}

array normal_of(const array& a, double mean, double std, Dtype dtype) {
  return random::normal(a.shape(), dtype, static_cast<float>(mean), static_cast<float>(std));
}

}  // namespace

array Constant::operator()(const array& a) const {
  return full(a.shape(), array(static_cast<float>(value)), dtype);
}

array Normal::operator()(const array& a) const {
  return normal_of(a, mean, std, dtype);
}

array Uniform::operator()(const array& a) const {
  return random::uniform(low, high, a.shape(), dtype);
}

array Identity::operator()(const array& a) const {
  check_matrix("init::identity", a);
  if (a.shape(0) != a.shape(1)) {
    fail(ErrorCode::shape_mismatch, "init::identity", "{} is not square", to_string(a.shape()));
  }
  const array places = arange(static_cast<int>(a.shape(0)));
  return astype(expand_dims(places, 1) == places, dtype);
}

array Glorot::operator()(const array& a, double gain) const {
  const Fans f = fans("init::glorot", a);
  const double scale = gain * std::sqrt((uniform ? 6.0 : 2.0) / (f.in + f.out));
  if (uniform) return random::uniform(-scale, scale, a.shape(), dtype);
  return normal_of(a, 0, scale, dtype);
}

array He::operator()(const array& a, Fan mode, double gain) const {
  const Fans f = fans("init::he", a);
  const double fan = mode == Fan::in ? f.in : f.out;
  if (!uniform) return normal_of(a, 0, gain / std::sqrt(fan), dtype);
  const double limit = gain * std::sqrt(3.0 / fan);
  return random::uniform(-limit, limit, a.shape(), dtype);
}

array Sparse::operator()(const array& a) const {
  check_matrix("init::sparse", a);
  if (!(sparsity >= 0 && sparsity <= 1)) {
    fail(ErrorCode::invalid_argument, "init::sparse", "sparsity {} is not in [0, 1]", sparsity);
  }
  const auto zeros_per_row = static_cast<int>(std::ceil(sparsity * double(a.shape(1))));
  // The rank of each element in a random order of its row: the first ones become 0.
  const array rank = argsort(argsort(random::uniform(a.shape()), 1), 1);
  const array values = normal_of(a, mean, std, dtype);
  return where(rank < zeros_per_row, zeros(a.shape(), dtype), values);
}

namespace {

// Makes the rows of a square matrix orthonormal, each turned as little as those before it allow:
// the Q of Q R = A^T with a positive diagonal in R. Subtracting twice keeps the rows orthogonal to
// the last place (W. Hoffmann, Computing 41, 1989).
void orthonormalize(std::vector<double>& rows, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &rows[i * n];
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < i; ++k) {
        const double* earlier = &rows[k * n];
        const double shared = std::inner_product(row, row + n, earlier, 0.0);
        for (std::size_t j = 0; j < n; ++j) row[j] -= shared * earlier[j];
      }
    }
    const double length = std::sqrt(std::inner_product(row, row + n, row, 0.0));
    for (std::size_t j = 0; j < n; ++j) row[j] /= length;
  }
}

}  // namespace

array Orthogonal::operator()(const array& a) const {
  check_matrix("init::orthogonal", a);
  const ShapeElem rows = a.shape(0), columns = a.shape(1), n = std::max(rows, columns);
  // Column by column, as the factorisation takes them.
  const HostTensor drawn = transpose(random::normal({n, n})).to_host();
  const auto values = drawn.values<float>();
  std::vector<double> q(values.begin(), values.end());
  orthonormalize(q, static_cast<std::size_t>(n));
  for (double& v : q) v *= gain;
  const std::vector<float> scaled(q.begin(), q.end());
  const array whole = transpose(array(std::span<const float>(scaled), {n, n}));
  return astype(slice(whole, {0, 0}, {rows, columns}), dtype);
}

}  // namespace tessera::nn::init

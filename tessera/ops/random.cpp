#include "tessera/ops/random.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/bitwise.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/sort.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

array on_backend(std::array<std::uint32_t, 2> key, const BackendPtr& backend) {
  return array(HostTensor::from(std::span<const std::uint32_t>(key), Shape{2}), backend);
}

array word(const array& key, int i) {
  return slice(key, {i}, {i + 1});
}

array rotated(const array& x, int distance) {
  return (x << distance) | (x >> (32 - distance));
}

// detail::threefry with arrays.
array threefry_words(const array& key, const array& count_a, const array& count_b) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const array keys[3] = {word(key, 0), word(key, 1), word(key, 0) ^ word(key, 1) ^ 0x1BD11BDAu};
  array a = count_a + keys[0];
  array b = count_b + keys[1];
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 4; ++i) {
      a = a + b;
      b = rotated(b, kRotations[round % 2 * 4 + i]) ^ a;
    }
    a = a + keys[(round + 1) % 3];
    b = b + keys[(round + 2) % 3] + (round + 1);
  }
  return stack({a, b});
}

}  // namespace

TensorSpec RandomBits::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  if (in[0].dtype() != uint32 || in[0].shape() != Shape{2}) {
    fail(in[0].dtype() == uint32 ? ErrorCode::shape_mismatch : ErrorCode::unsupported_dtype, kName,
         "a key is uint32 [2], got {}", detail::describe(in[0]));
  }
  switch (width) {
    case 1: return {shape, uint8};
    case 2: return {shape, uint16};
    case 4: return {shape, uint32};
    default: fail(ErrorCode::invalid_argument, kName, "width {} is not 1, 2 or 4 bytes", width);
  }
}

std::vector<array> RandomBits::lower(std::span<const array> in) const {
  const TensorSpec spec = infer(in);
  const std::int64_t count = num_elements(shape);
  if (count == 0) return {broadcast_to(detail::scalar(0, spec.dtype, in[0].backend()), shape)};
  const std::int64_t words = (count - 1) / (4 / width) + 1;
  const std::int64_t pairs = words / 2;
  const std::int64_t first = words - pairs;  // words that are the first of a pair, or alone
  const BackendPtr& backend = in[0].backend();
  const auto counter = [&](std::int64_t from, std::int64_t n) {
    return apply(Arange{static_cast<double>(from), 1, n, uint32}, {}, backend);
  };
  array second_count = counter(first, pairs);
  if (first > pairs) second_count = concatenate({second_count, counter(0, 1)});
  const array both = threefry_words(in[0], counter(0, first), second_count);
  array bits = slice(reshape(both, {2 * first}), {0}, {words});
  if (width < 4) {
    const array shifts = counter(0, 4 / width) * (8 * width);
    bits = astype(expand_dims(bits, 1) >> shifts, spec.dtype);
    bits = slice(reshape(bits, {-1}), {0}, {count});
  }
  return {reshape(bits, shape)};
}

namespace random {

namespace {

using Key = std::optional<array>;

array key_or_next(const Key& key, const BackendPtr& backend = nullptr) {
  return key ? *key : KeySequence::default_().next(backend);
}

void check_shape(const char* op, const Shape& shape, const Shape& parameters) {
  if (broadcast_shapes(shape, parameters, op) != shape) {
    fail(ErrorCode::shape_mismatch, op, "parameters of shape {} do not broadcast to {}",
         to_string(parameters), to_string(shape));
  }
}

// The largest value below 1, which rounding must not pass.
double below_one(const char* op, Dtype dtype) {
  switch (dtype) {
    case Dtype::Val::float32: return 1 - 0x1p-24;
    case Dtype::Val::float16: return 1 - 0x1p-11;
    case Dtype::Val::bfloat16: return 1 - 0x1p-8;
    default:
      fail(ErrorCode::unsupported_dtype, op, "needs float32, float16 or bfloat16, got {}",
           to_string(dtype));
  }
}

// In (-1, 1), for the inversion of symmetric distributions.
array symmetric_uniform(const Shape& shape, const array& key) {
  const double low = std::nextafter(-1.0f, 0.0f);
  return uniform(low, 1.0, shape, float32, key);
}

// Both parts with half the variance, from neighbouring draws.
array complex_normal(Shape shape, const array& key) {
  shape.push_back(2);
  const array parts = erfinv(symmetric_uniform(shape, key));
  Shape start(shape.size(), 0), stop = shape;
  stop.back() = 1;
  const array real = squeeze(slice(parts, start, stop), -1);
  start.back() = 1;
  stop.back() = 2;
  return detail::join_complex(real, squeeze(slice(parts, start, stop), -1));
}

void check_floating(const char* op, Dtype dtype) {
  if (!is_floating(dtype)) {
    fail(ErrorCode::unsupported_dtype, op, "needs a floating dtype, got {}", to_string(dtype));
  }
}

// The backend that scalars must be on to meet the key.
BackendPtr backend_of(const Key& key) {
  return key ? key->backend() : nullptr;
}

Key scalar_unless(double value, double neutral, Dtype dtype, const Key& key) {
  if (value == neutral) return std::nullopt;
  return detail::scalar(value, dtype, backend_of(key));
}

}  // namespace

array key(std::uint64_t seed) {
  return on_backend({static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)},
                    nullptr);
}

void KeySequence::seed(std::uint64_t seed) {
  key_ = {static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
}

// split() of four words, on the host: no graph grows from draw to draw.
array KeySequence::next(const BackendPtr& backend) {
  const auto a = detail::threefry(key_, {0, 2});
  const auto b = detail::threefry(key_, {1, 3});
  key_ = {a[0], b[0]};
  return on_backend({a[1], b[1]}, backend);
}

KeySequence& KeySequence::default_() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local KeySequence sequence(
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) +
      threads.fetch_add(1) * 0x9E3779B97F4A7C15u);
  return sequence;
}

void seed(std::uint64_t seed) {
  KeySequence::default_().seed(seed);
}

array bits(const Shape& shape, int width, const Key& key) {
  return apply(RandomBits{shape, width}, {key_or_next(key)});
}
array bits(const Shape& shape, const Key& key) {
  return bits(shape, 4, key);
}

array split(const array& key, int num) {
  if (num < 0) fail(ErrorCode::invalid_argument, "random::split", "{} keys asked for", num);
  return bits({num, 2}, 4, key);
}
std::pair<array, array> split(const array& key) {
  const array keys = random::split(key, 2);
  return {reshape(slice(keys, {0, 0}, {1, 2}), {2}), reshape(slice(keys, {1, 0}, {2, 2}), {2})};
}

array uniform(const array& low, const array& high, const Shape& shape, Dtype dtype,
              const Key& key) {
  constexpr const char* kWhere = "random::uniform";
  const double upper = below_one(kWhere, dtype);
  const array lo = astype(low, dtype);
  const array range = astype(high, dtype) - lo;
  check_shape(kWhere, shape, range.shape());
  const array words = bits(shape, key_or_next(key, low.backend()));
  const array limit = detail::scalar(upper, float32, words.backend());
  const array unit = minimum(astype(words, float32) / 0x1p32f, limit);
  return range * astype(unit, dtype) + lo;
}
array uniform(double low, double high, const Shape& shape, Dtype dtype, const Key& key) {
  const BackendPtr backend = backend_of(key);
  below_one("random::uniform", dtype);
  return uniform(detail::scalar(low, dtype, backend), detail::scalar(high, dtype, backend), shape,
                 dtype, key);
}
array uniform(const Shape& shape, Dtype dtype, const Key& key) {
  return uniform(0.0, 1.0, shape, dtype, key);
}
array uniform(const Shape& shape, const Key& key) {
  return uniform(shape, float32, key);
}

array normal(const Shape& shape, Dtype dtype, const std::optional<array>& loc,
             const std::optional<array>& scale, const Key& key) {
  const BackendPtr backend = loc ? loc->backend() : scale ? scale->backend() : nullptr;
  if (dtype == complex64) {
    array out = complex_normal(shape, key_or_next(key, backend));
    if (scale) out = *scale * out;
    if (loc) out = *loc + out;
    return out;
  }
  check_floating("random::normal", dtype);
  const array drawn = erfinv(symmetric_uniform(shape, key_or_next(key, backend)));
  array factor = detail::scalar(std::sqrt(2.0), dtype, drawn.backend());
  if (scale) factor = factor * astype(*scale, dtype);
  array out = factor * astype(drawn, dtype);
  if (loc) out = astype(*loc, dtype) + out;
  return out;
}
array normal(const Shape& shape, Dtype dtype, float loc, float scale, const Key& key) {
  return normal(shape, dtype, scalar_unless(loc, 0, dtype, key),
                scalar_unless(scale, 1, dtype, key), key);
}
array normal(const Shape& shape, float loc, float scale, const Key& key) {
  return normal(shape, float32, loc, scale, key);
}
array normal(const Shape& shape, Dtype dtype, const Key& key) {
  return normal(shape, dtype, std::nullopt, std::nullopt, key);
}
array normal(const Shape& shape, const Key& key) {
  return normal(shape, float32, key);
}

array randint(const array& low, const array& high, const Shape& shape, Dtype dtype,
              const Key& key) {
  if (!is_integer(dtype) && dtype != bool_) {
    fail(ErrorCode::unsupported_dtype, "random::randint", "needs an integer dtype or bool, got {}",
         to_string(dtype));
  }
  const array drawn = astype(floor(uniform(low, high, shape, float32, key)), dtype);
  // float32 may round up to high.
  return maximum(minimum(drawn, astype(high - 1, dtype)), astype(low, dtype));
}
array randint(std::int64_t low, std::int64_t high, const Shape& shape, Dtype dtype,
              const Key& key) {
  const BackendPtr backend = backend_of(key);
  const auto bound = [&](std::int64_t value) {
    return array(HostTensor::from(std::span<const std::int64_t>(&value, 1), Shape{}), backend);
  };
  return randint(bound(low), bound(high), shape, dtype, key);
}

array bernoulli(const array& p, const Shape& shape, const Key& key) {
  constexpr const char* kWhere = "random::bernoulli";
  detail::check_floating(kWhere, p);
  check_shape(kWhere, shape, p.shape());
  // Just past the largest word, so that p = 1 is always true.
  const float upper = std::nextafter(0x1p32f, INFINITY);
  return bits(shape, key_or_next(key, p.backend())) < astype(p, float32) * upper;
}
array bernoulli(const array& p, const Key& key) {
  return bernoulli(p, p.shape(), key);
}
array bernoulli(double p, const Shape& shape, const Key& key) {
  return bernoulli(detail::scalar(p, float32, backend_of(key)), shape, key);
}
array bernoulli(double p, const Key& key) {
  return bernoulli(p, Shape{}, key);
}
array bernoulli(const Key& key) {
  return bernoulli(0.5, key);
}

array truncated_normal(const array& lower, const array& upper, const Shape& shape, Dtype dtype,
                       const Key& key) {
  below_one("random::truncated_normal", dtype);
  const array least = astype(lower, dtype);
  const array most = astype(upper, dtype);
  const array root = detail::scalar(std::sqrt(2.0), dtype, lower.backend());
  const array drawn = uniform(erf(least / root), erf(most / root), shape, dtype, key);
  return maximum(minimum(most, root * erfinv(drawn)), least);
}
array truncated_normal(const array& lower, const array& upper, Dtype dtype, const Key& key) {
  const Shape shape = broadcast_shapes(lower.shape(), upper.shape(), "random::truncated_normal");
  return truncated_normal(lower, upper, shape, dtype, key);
}

array gumbel(const Shape& shape, Dtype dtype, const Key& key) {
  return -log(-log(uniform(shape, dtype, key)));
}

namespace {

constexpr const char* kCategorical = "random::categorical";

// logits broadcast to shape with the axis put back in its place, counted from the end.
array categorical_at(const array& logits, int axis, const Shape& shape, const Key& key) {
  const auto at = static_cast<std::ptrdiff_t>(axis + shape.size() + 1 - logits.ndim());
  Shape noise = shape;
  noise.insert(noise.begin() + at, logits.shape()[axis]);
  const array scores = gumbel(noise, float32, key_or_next(key, logits.backend())) + logits;
  return argmax(scores, static_cast<int>(at));
}

Shape without_axis(const array& logits, int axis) {
  Shape shape = logits.shape();
  shape.erase(shape.begin() + axis);
  return shape;
}

}  // namespace

array categorical(const array& logits, int axis, const Shape& shape, const Key& key) {
  axis = normalize_axis(axis, logits.ndim(), kCategorical);
  check_shape(kCategorical, shape, without_axis(logits, axis));
  return categorical_at(logits, axis, shape, key);
}
array categorical(const array& logits, int axis, int num_samples, const Key& key) {
  axis = normalize_axis(axis, logits.ndim(), kCategorical);
  if (num_samples < 0) {
    fail(ErrorCode::invalid_argument, kCategorical, "{} samples asked for", num_samples);
  }
  Shape shape = without_axis(logits, axis);
  shape.push_back(num_samples);
  return categorical_at(expand_dims(logits, -1), axis, shape, key);
}
array categorical(const array& logits, int axis, const Key& key) {
  axis = normalize_axis(axis, logits.ndim(), kCategorical);
  return categorical_at(logits, axis, without_axis(logits, axis), key);
}

array laplace(const Shape& shape, Dtype dtype, float loc, float scale, const Key& key) {
  check_floating("random::laplace", dtype);
  const array drawn = symmetric_uniform(shape, key_or_next(key));
  const array size = log1p(-abs(drawn));
  array out = astype(where(drawn < 0.0f, -size, size), dtype);
  if (scale != 1) out = out * scale;
  if (loc != 0) out = out + loc;
  return out;
}
array laplace(const Shape& shape, float loc, float scale, const Key& key) {
  return laplace(shape, float32, loc, scale, key);
}
array laplace(const Shape& shape, Dtype dtype, const Key& key) {
  return laplace(shape, dtype, 0.0f, 1.0f, key);
}
array laplace(const Shape& shape, const Key& key) {
  return laplace(shape, float32, key);
}

array permutation(const array& x, int axis, const Key& key) {
  constexpr const char* kWhere = "random::permutation";
  const ShapeElem n = x.shape()[normalize_axis(axis, x.ndim(), kWhere)];
  return take(x, argsort(bits({n}, key_or_next(key, x.backend()))), axis);
}
array permutation(int x, const Key& key) {
  return argsort(bits({x}, key));
}

}  // namespace random
}  // namespace tessera

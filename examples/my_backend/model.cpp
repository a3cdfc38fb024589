// The ops that transformers are made of. Everything is widened to float (or double, where an input
// is), computed in the plainest way, and narrowed at the end.
#include <tessera/ops/embedding.h>
#include <tessera/ops/matmul.h>
#include <tessera/ops/norm.h>
#include <tessera/ops/rope.h>
#include <tessera/ops/sdpa.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tensor.h"

namespace my_backend {

namespace {

// fn<T>() with the type to compute in.
template <class Fn>
TensorPtr in_compute_type(Dtype dtype, Fn fn) {
  if (dtype == float64) return fn.template operator()<double>();
  if (dtype == complex64) return fn.template operator()<complex64_t>();
  return fn.template operator()<float>();
}

// The sum of a[i] * b[i * b_step]. Four partial sums: less rounding than one, and the compiler may
// keep them in a register each.
template <class T>
T dot(const T* a, const T* b, std::int64_t b_step, std::int64_t count) {
  T sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += a[i + k] * b[(i + k) * b_step];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i * b_step];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

TensorPtr do_matmul(const Context& ctx, const Matmul&, Inputs in, const TensorSpec& out) {
  return in_compute_type(out.dtype, [&]<class T>() -> TensorPtr {
    const DensePtr a = ctx.cast(in[0], dtype_of<T>);
    const DensePtr b = ctx.cast(in[1], dtype_of<T>);
    const DensePtr y = ctx.make({out.shape, dtype_of<T>});
    const std::size_t rank = out.shape.size();
    const std::int64_t m = out.shape[rank - 2];
    const std::int64_t n = out.shape[rank - 1];
    const std::int64_t k = a->shape().back();
    const Shape batch(out.shape.begin(), out.shape.end() - 2);
    const auto batch_of = [](const DenseTensor& t) {
      return Shape(t.shape().begin(), t.shape().end() - 2);
    };
    std::vector<std::int64_t> b_matrix(num_elements(batch));
    walk(batch, 0, strides_for(batch_of(*b), batch),
         [&](std::int64_t i, std::int64_t at) { b_matrix[i] = at; });
    walk(batch, 0, strides_for(batch_of(*a), batch), [&](std::int64_t i, std::int64_t at) {
      const T* left = a->template data<T>() + at * m * k;
      const T* right = b->template data<T>() + b_matrix[i] * k * n;
      T* to = y->template data<T>() + i * m * n;
      for (std::int64_t r = 0; r < m; ++r) {
        for (std::int64_t c = 0; c < n; ++c) to[r * n + c] = dot(left + r * k, right + c, n, k);
      }
    });
    return ctx.cast(y, out.dtype);
  });
}

TensorPtr do_linear(const Context& ctx, const Linear&, Inputs in, const TensorSpec& out) {
  return in_compute_type(out.dtype, [&]<class T>() -> TensorPtr {
    const DensePtr x = ctx.cast(in[0], dtype_of<T>);
    const DensePtr w = ctx.cast(in[1], dtype_of<T>);
    const DensePtr bias = in.size() > 2 ? ctx.cast(in[2], dtype_of<T>) : nullptr;
    const DensePtr y = ctx.make({out.shape, dtype_of<T>});
    const std::int64_t n = w->shape()[0];
    const std::int64_t k = w->shape()[1];
    for (std::int64_t i = 0; i < y->size(); ++i) {
      const T sum = dot(x->template data<T>() + i / n * k, w->template data<T>() + i % n * k, 1, k);
      y->template data<T>()[i] = bias ? sum + bias->template data<T>()[i % n] : sum;
    }
    return ctx.cast(y, out.dtype);
  });
}

TensorPtr do_embedding(const Context& ctx, const Embedding&, Inputs in, const TensorSpec& out) {
  const Shape& table = in[1]->shape();
  const DensePtr y = ctx.make(out);
  const std::int64_t row = table[1] * out.dtype.size();
  std::byte* to = y->bytes();
  for (const std::int64_t id : indices(Embedding::kName, dense(in[0]), table[0])) {
    std::memcpy(to, dense(in[1]).bytes() + id * row, row);
    to += row;
  }
  return y;
}

TensorPtr do_layer_norm(const Context& ctx, const LayerNorm& op, Inputs in, const TensorSpec& out) {
  const DensePtr x = ctx.cast(in[0], float32);
  const DensePtr weight = op.has_weight ? ctx.cast(in[1], float32) : nullptr;
  const DensePtr bias = op.has_bias ? ctx.cast(in[op.has_weight ? 2 : 1], float32) : nullptr;
  const DensePtr y = ctx.make({out.shape, float32});
  const std::int64_t width = out.shape.back();
  for (std::int64_t row = 0; row < y->size(); row += width) {
    const float* from = x->data<float>() + row;
    double mean = 0;
    for (std::int64_t i = 0; i < width; ++i) mean += from[i];
    mean /= static_cast<double>(width);
    double variance = 0;  // of centred values: exact when the mean is large
    for (std::int64_t i = 0; i < width; ++i) variance += (from[i] - mean) * (from[i] - mean);
    variance /= static_cast<double>(width);
    const double scale = 1 / std::sqrt(variance + op.eps);
    for (std::int64_t i = 0; i < width; ++i) {
      double value = (from[i] - mean) * scale;
      if (weight) value *= weight->data<float>()[i];
      if (bias) value += bias->data<float>()[i];
      y->data<float>()[row + i] = static_cast<float>(value);
    }
  }
  return ctx.cast(y, out.dtype);
}

TensorPtr do_rope(const Context& ctx, const Rope& op, Inputs in, const TensorSpec& out) {
  const DensePtr x = ctx.cast(in[0], float32);
  const std::int32_t* offsets = dense(in[1]).data<std::int32_t>();
  const bool per_batch = dense(in[1]).size() > 1;
  const float* freqs = in.size() > 2 ? dense(in[2]).data<float>() : nullptr;
  const DensePtr y = ctx.make({out.shape, float32});
  const std::size_t rank = out.shape.size();
  const std::int64_t steps = out.shape[rank - 2];
  const std::int64_t width = out.shape[rank - 1];
  const std::int64_t rows = y->size() == 0 ? 0 : y->size() / width;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t batch = r / (rows / out.shape[0]);
    const std::int64_t position = offsets[per_batch ? batch : 0] + r % steps;
    const float* from = x->data<float>() + r * width;
    float* to = y->data<float>() + r * width;
    std::copy(from, from + width, to);  // what lies past `dims` stays
    for (int i = 0; i < op.dims / 2; ++i) {
      const float inverse =
          freqs ? 1 / freqs[i] : static_cast<float>(std::pow(double(op.base), -2.0 * i / op.dims));
      const float angle = static_cast<float>(position) * op.scale * inverse;
      const int first = op.traditional ? 2 * i : i;
      const int second = op.traditional ? 2 * i + 1 : i + op.dims / 2;
      to[first] = from[first] * std::cos(angle) - from[second] * std::sin(angle);
      to[second] = from[first] * std::sin(angle) + from[second] * std::cos(angle);
    }
  }
  return ctx.cast(y, out.dtype);
}

TensorPtr do_sdpa(const Context& ctx, const Sdpa& op, Inputs in, const TensorSpec& out) {
  const DensePtr q = ctx.cast(in[0], float32);
  const DensePtr k = ctx.cast(in[1], float32);
  const DensePtr v = ctx.cast(in[2], float32);
  const float* sinks = op.has_sinks ? dense(in.back()).data<float>() : nullptr;
  const DenseTensor* mask = in.size() > (sinks ? 4u : 3u) ? &dense(in[3]) : nullptr;
  const DensePtr y = ctx.make({out.shape, float32});
  const std::int64_t heads = q->shape()[1];
  const std::int64_t kv_heads = k->shape()[1];
  const std::int64_t queries = q->shape()[2];
  const std::int64_t keys = k->shape()[2];
  const std::int64_t width = q->shape()[3];
  const std::int64_t value_width = v->shape()[3];
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  std::vector<float> scores(keys);
  for (std::int64_t row = 0; row < q->shape()[0] * heads * queries; ++row) {
    const std::int64_t i = row % queries;
    const std::int64_t batch = row / queries / heads;
    const std::int64_t head = row / queries % heads;
    const std::int64_t kv_head = head / (heads / kv_heads);
    const float* key = k->data<float>() + (batch * kv_heads + kv_head) * keys * width;
    const float* value = v->data<float>() + (batch * kv_heads + kv_head) * keys * value_width;
    const std::int64_t last = op.causal ? keys - queries + i : keys - 1;
    const std::int64_t first = op.window > 0 ? last + 1 - op.window : 0;
    float largest = kNever;
    for (std::int64_t j = 0; j < keys; ++j) {
      float score =
          op.scale * dot(q->data<float>() + row * width, key + j * width, std::int64_t{1}, width);
      if (op.softcap > 0) score = op.softcap * std::tanh(score / op.softcap);
      if (mask && mask->dtype() == bool_) {
        if (!mask->data<bool>()[row * keys + j]) score = kNever;
      } else if (mask) {
        score += mask->data<float>()[row * keys + j];
      }
      if (j < first || j > last) score = kNever;
      scores[j] = score;
      if (!(score <= largest)) largest = score;  // NaN comes through
    }
    if (sinks && !(sinks[head] <= largest)) largest = sinks[head];
    if (largest == kNever) continue;  // it may see nothing: zeros
    float sum = sinks ? std::exp(sinks[head] - largest) : 0;
    for (float& score : scores) sum += score = std::exp(score - largest);
    float* to = y->data<float>() + row * value_width;
    for (std::int64_t d = 0; d < value_width; ++d) {
      to[d] = dot(scores.data(), value + d, value_width, keys) / sum;
    }
  }
  return ctx.cast(y, out.dtype);
}

}  // namespace

void add_model_ops(Kernels& kernels) {
  add<Matmul, do_matmul>(kernels);
  add<Linear, do_linear>(kernels);
  add<Embedding, do_embedding>(kernels);
  add<LayerNorm, do_layer_norm>(kernels);
  add<Rope, do_rope>(kernels);
  add<Sdpa, do_sdpa>(kernels);
}

}  // namespace my_backend

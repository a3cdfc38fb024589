// Attention without the [L, S] matrix: each query row walks the keys it may see.
#include <cmath>
#include <limits>
#include <vector>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/sdpa.h"

namespace tessera::cpu {

namespace {

// The last axis must be dense for the dot products; other axes keep their strides, so that a slice
// of a KV cache is read where it lies.
CpuTensorPtr dense_rows(const Context& ctx, const TensorPtr& t) {
  const CpuTensor& c = as_cpu(t);
  if (c.dtype() == float32 && (c.strides().back() == 1 || c.shape().back() <= 1)) {
    return std::static_pointer_cast<CpuTensor>(t);
  }
  return ctx.to_float32(t);
}

float dot(const float* a, const float* b, std::int64_t n) {
  float lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int k = 0; k < 8; ++k) lanes[k] += a[i + k] * b[i + k];
  }
  float sum = 0;
  for (; i < n; ++i) sum += a[i] * b[i];
  for (float lane : lanes) sum += lane;
  return sum;
}

TensorPtr sdpa_kernel(Context& ctx, const Sdpa& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr q = dense_rows(ctx, in[0]);
  const CpuTensorPtr k = dense_rows(ctx, in[1]);
  const CpuTensorPtr v = dense_rows(ctx, in[2]);
  const CpuTensor* mask = in.size() > 3 ? &as_cpu(in[3]) : nullptr;
  CpuTensorPtr y = ctx.make({out.shape, float32});

  const std::int64_t heads = q->shape()[1];
  const std::int64_t queries = q->shape()[2];
  const std::int64_t width = q->shape()[3];
  const std::int64_t group = heads / k->shape()[1];
  const std::int64_t keys = k->shape()[2];
  const std::int64_t value_width = v->shape()[3];
  const std::int64_t rows = q->shape()[0] * heads * queries;

  ctx.pool.parallel_for(rows, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scores(keys);
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t i = r % queries;
      const std::int64_t h = r / queries % heads;
      const std::int64_t b = r / queries / heads;
      float* result = y->data<float>() + r * value_width;
      std::fill(result, result + value_width, 0.0f);

      const std::int64_t last = op.causal ? keys - queries + i : keys - 1;
      const std::int64_t hi = std::min(keys, last + 1);
      const std::int64_t lo = op.window > 0 ? std::max<std::int64_t>(0, last + 1 - op.window) : 0;
      const float* query = q->data<float>() + b * q->strides()[0] + h * q->strides()[1] + i * q->strides()[2];
      const float* key = k->data<float>() + b * k->strides()[0] + h / group * k->strides()[1];
      const float* value = v->data<float>() + b * v->strides()[0] + h / group * v->strides()[1];

      float top = -std::numeric_limits<float>::infinity();
      for (std::int64_t j = lo; j < hi; ++j) {
        float s = dot(query, key + j * k->strides()[2], width) * op.scale;
        if (op.softcap > 0) s = op.softcap * std::tanh(s / op.softcap);
        if (mask) {
          const Strides& m = mask->strides();
          const std::int64_t at = b * m[0] + h * m[1] + i * m[2] + j * m[3];
          if (mask->dtype() == bool_) {
            if (!mask->data<bool>()[at]) s = -std::numeric_limits<float>::infinity();
          } else {
            s += mask->data<float>()[at];
          }
        }
        scores[j] = s;
        top = s > top || s != s ? s : top;
      }
      // Nothing to attend to: zeros, not the NaN of -inf minus -inf.
      if (top == -std::numeric_limits<float>::infinity()) continue;
      float sum = 0;
      for (std::int64_t j = lo; j < hi; ++j) {
        const float p = std::exp(scores[j] - top);
        sum += p;
        const float* row = value + j * v->strides()[2];
        for (std::int64_t d = 0; d < value_width; ++d) result[d] += p * row[d];
      }
      const float scale = 1.0f / sum;
      for (std::int64_t d = 0; d < value_width; ++d) result[d] *= scale;
    }
  });
  if (out.dtype == float32) return y;
  CpuTensorPtr narrow = ctx.make(out);
  copy_elements(ctx, *y, *narrow);
  return narrow;
}

}  // namespace

void register_attention(KernelRegistry& table) { table.add<Sdpa, sdpa_kernel>(); }

}  // namespace tessera::cpu

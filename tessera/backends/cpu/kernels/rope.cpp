// Rotary position embedding.
#include <cmath>
#include <vector>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/rope.h"

namespace tessera::cpu {

namespace {

TensorPtr rope_kernel(Context& ctx, const Rope& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  const Shape& shape = out.shape;
  const std::size_t rank = shape.size();
  const std::int64_t batch = shape[0];
  const std::int64_t steps = shape[rank - 2];
  const std::int64_t width = shape[rank - 1];
  std::int64_t heads = 1;
  for (std::size_t i = 1; i + 2 < rank; ++i) heads *= shape[i];
  if (x.size() == 0) return y;

  const int half = op.dims / 2;
  std::vector<float> inverse(half);
  if (in.size() == 3) {
    const CpuTensorPtr freqs = ctx.contiguous(in[2]);
    for (int i = 0; i < half; ++i) inverse[i] = 1.0f / freqs->data<float>()[i];
  } else {
    for (int i = 0; i < half; ++i) {
      inverse[i] = static_cast<float>(std::pow(double(op.base), -2.0 * i / op.dims));
    }
  }
  const CpuTensorPtr offsets = ctx.contiguous(in[1]);
  const bool per_batch = offsets->size() == batch && batch > 1;

  // One table of sines and cosines per batch row (or one for all): every head uses it.
  const std::int64_t tables = per_batch ? batch : 1;
  std::vector<float> cosine(tables * steps * half), sine(tables * steps * half);
  for (std::int64_t b = 0; b < tables; ++b) {
    const std::int32_t offset = offsets->data<std::int32_t>()[per_batch ? b : 0];
    ctx.pool.parallel_for(steps, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        for (int i = 0; i < half; ++i) {
          const float angle = static_cast<float>(offset + t) * op.scale * inverse[i];
          cosine[(b * steps + t) * half + i] = std::cos(angle);
          sine[(b * steps + t) * half + i] = std::sin(angle);
        }
      }
    });
  }

  // Input strides of batch, step and feature, and of the axes between as one row index.
  const Strides& xs = x.strides();
  dispatch_floating(out.dtype, [&]<class T>() {
    const T* src = x.data<T>();
    T* dst = y->data<T>();
    const std::int64_t rows = batch * heads * steps;
    ctx.pool.parallel_for(rows, 1 + 8192 / width, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const std::int64_t t = r % steps;
        const std::int64_t b = r / steps / heads;
        std::int64_t rest = r;
        std::int64_t at = 0;
        for (std::size_t axis = rank - 1; axis-- > 0;) {
          at += rest % shape[axis] * xs[axis];
          rest /= shape[axis];
        }
        const T* row = src + at;
        const std::int64_t step = xs[rank - 1];
        T* to = dst + r * width;
        const float* c = cosine.data() + ((per_batch ? b : 0) * steps + t) * half;
        const float* s = sine.data() + ((per_batch ? b : 0) * steps + t) * half;
        for (int i = 0; i < half; ++i) {
          const std::int64_t first = op.traditional ? 2 * i : i;
          const std::int64_t second = op.traditional ? 2 * i + 1 : i + half;
          const float u = static_cast<float>(row[first * step]);
          const float v = static_cast<float>(row[second * step]);
          to[first] = static_cast<T>(u * c[i] - v * s[i]);
          to[second] = static_cast<T>(u * s[i] + v * c[i]);
        }
        for (std::int64_t i = op.dims; i < width; ++i) to[i] = row[i * step];
      }
    });
  });
  return y;
}

}  // namespace

void register_rope(KernelRegistry& table) {
  table.add<Rope, rope_kernel>();
}

}  // namespace tessera::cpu

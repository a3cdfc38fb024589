// Normalisation over the last axis, one row at a time, in float.
#include <cmath>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/norm.h"

namespace tessera::cpu {

namespace {

constexpr int kLanes = 8;

// Sums in eight lanes vectorise without reassociating a single running sum.
template <class Fn>
float lane_sum(const float* x, std::int64_t count, Fn fn) {
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) lanes[k] += fn(x[i + k]);
  }
  float sum = 0;
  for (; i < count; ++i) sum += fn(x[i]);
  for (float lane : lanes) sum += lane;
  return sum;
}

// Rows of x as float32 through row(in, out, width); the result is narrowed to the output's dtype.
template <class Row>
TensorPtr by_rows(Context& ctx, Inputs in, const TensorSpec& out, Row row) {
  const TensorSpec wide{out.shape, float32};
  const bool donated = is_donated(in[0]);
  const CpuTensorPtr x = ctx.to_float32(in[0]);
  // A donated input and a conversion's result may both be overwritten, row by row.
  const CpuTensorPtr y = donated || x != in[0] ? x : ctx.make(wide);
  const std::int64_t width = out.shape.back();
  const std::int64_t rows = width == 0 ? 0 : x->size() / width;
  const float* src = x->data<float>();
  float* dst = y->data<float>();
  ctx.pool.parallel_for(rows, 1 + 16384 / std::max<std::int64_t>(1, width),
                        [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t r = begin; r < end; ++r) {
                            row(src + r * width, dst + r * width, width);
                          }
                        });
  if (out.dtype == float32) return y;
  CpuTensorPtr narrow = ctx.make(out);
  copy_elements(ctx, *y, *narrow);
  return narrow;
}

TensorPtr rms_norm_kernel(Context& ctx, const RmsNorm& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr weight = in.size() > 1 ? ctx.to_float32(in[1]) : nullptr;
  const float* w = weight ? weight->data<float>() : nullptr;
  return by_rows(ctx, in, out, [&](const float* x, float* y, std::int64_t width) {
    const float square = lane_sum(x, width, [](float v) { return v * v; });
    const float scale = 1.0f / std::sqrt(square / static_cast<float>(width) + op.eps);
    if (w) {
      for (std::int64_t i = 0; i < width; ++i) y[i] = x[i] * scale * w[i];
    } else {
      for (std::int64_t i = 0; i < width; ++i) y[i] = x[i] * scale;
    }
  });
}

TensorPtr layer_norm_kernel(Context& ctx, const LayerNorm& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr weight = op.has_weight ? ctx.to_float32(in[1]) : nullptr;
  const CpuTensorPtr bias = op.has_bias ? ctx.to_float32(in[op.has_weight ? 2 : 1]) : nullptr;
  const float* w = weight ? weight->data<float>() : nullptr;
  const float* b = bias ? bias->data<float>() : nullptr;
  return by_rows(ctx, in, out, [&](const float* x, float* y, std::int64_t width) {
    const auto n = static_cast<float>(width);
    const float mean = lane_sum(x, width, [](float v) { return v; }) / n;
    // The second pass over centred values keeps the variance exact when the mean is large.
    const float variance = lane_sum(x, width, [&](float v) { return (v - mean) * (v - mean); }) / n;
    const float scale = 1.0f / std::sqrt(variance + op.eps);
    for (std::int64_t i = 0; i < width; ++i) {
      y[i] = (x[i] - mean) * scale * (w ? w[i] : 1.0f) + (b ? b[i] : 0.0f);
    }
  });
}

}  // namespace

void register_norm(KernelRegistry& table) {
  table.add<RmsNorm, rms_norm_kernel>();
  table.add<LayerNorm, layer_norm_kernel>();
}

}  // namespace tessera::cpu

// Softmax and log-sum-exp over the last axis; other axes are moved there first.
#include <cmath>
#include <limits>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/softmax.h"

namespace tessera::cpu {

namespace {

// The reduced axes behind the kept ones, as contiguous float32 [rows, width].
struct Rows {
  CpuTensorPtr values;
  std::int64_t count = 0;
  std::int64_t width = 1;
  InlineVector<int, 6> order;  // position i of the moved tensor is axis order[i]
  Shape moved_shape;

  Rows(const Context& ctx, const TensorPtr& t, const InlineVector<int, 6>& axes) {
    const CpuTensor& x = as_cpu(t);
    const auto reduced = [&](int i) {
      return std::find(axes.begin(), axes.end(), i) != axes.end();
    };
    const int rank = static_cast<int>(x.shape().size());
    for (int i = 0; i < rank; ++i) {
      if (!reduced(i)) order.push_back(i);
    }
    for (int i = 0; i < rank; ++i) {
      if (reduced(i)) order.push_back(i);
    }
    Strides strides;
    for (int axis : order) {
      moved_shape.push_back(x.shape()[axis]);
      strides.push_back(x.strides()[axis]);
      if (reduced(axis)) width *= x.shape()[axis];
    }
    count = width == 0 ? 0 : x.size() / width;
    const CpuTensorPtr moved = ctx.view(x, {moved_shape, x.dtype()}, x.offset(), strides);
    values = ctx.make({moved_shape, float32});
    copy_elements(ctx, *moved, *values);
  }
};

TensorPtr softmax_kernel(Context& ctx, const Softmax& op, Inputs in, const TensorSpec& out) {
  const Rows rows(ctx, in[0], op.axes);
  ctx.pool.parallel_for(rows.count, 1 + 4096 / std::max<std::int64_t>(1, rows.width),
                        [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t r = begin; r < end; ++r) {
                            float* x = rows.values->data<float>() + r * rows.width;
                            float top = x[0];
                            for (std::int64_t i = 1; i < rows.width; ++i)
                              top = x[i] > top ? x[i] : top;
                            float sum = 0;
                            for (std::int64_t i = 0; i < rows.width; ++i)
                              sum += x[i] = std::exp(x[i] - top);
                            const float scale = 1.0f / sum;
                            for (std::int64_t i = 0; i < rows.width; ++i) x[i] *= scale;
                          }
                        });
  CpuTensorPtr y = ctx.make(out);
  // Written back through the inverse permutation.
  Strides strides(rows.order.size());
  const Strides natural = row_major_strides(rows.moved_shape);
  for (std::size_t i = 0; i < rows.order.size(); ++i) strides[rows.order[i]] = natural[i];
  const CpuTensorPtr back = ctx.view(*rows.values, {out.shape, float32}, 0, strides);
  copy_elements(ctx, *back, *y);
  return y;
}

TensorPtr logsumexp_kernel(Context& ctx, const LogSumExp& op, Inputs in, const TensorSpec& out) {
  const Rows rows(ctx, in[0], op.axes);
  CpuTensorPtr wide = ctx.make({out.shape, float32});
  float* y = wide->data<float>();
  const std::int64_t outputs = wide->size();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (std::int64_t r = 0; r < outputs; ++r) {
    const float* x = rows.values->data<float>() + r * rows.width;
    float top = -kInf;
    for (std::int64_t i = 0; i < rows.width; ++i) top = x[i] > top || x[i] != x[i] ? x[i] : top;
    if (std::isinf(top) || std::isnan(top)) {
      y[r] = top;
      continue;
    }
    float sum = 0;
    for (std::int64_t i = 0; i < rows.width; ++i) sum += std::exp(x[i] - top);
    y[r] = top + std::log(sum);
  }
  if (out.dtype == float32) return wide;
  CpuTensorPtr narrow = ctx.make(out);
  copy_elements(ctx, *wide, *narrow);
  return narrow;
}

}  // namespace

void register_softmax(KernelRegistry& table) {
  table.add<Softmax, softmax_kernel>();
  table.add<LogSumExp, logsumexp_kernel>();
}

}  // namespace tessera::cpu

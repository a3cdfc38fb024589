// Take, select and embedding.
#include <cstring>

#include "tessera/backends/cpu/indices.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/core/quant_type.h"
#include "tessera/ops/embedding.h"
#include "tessera/ops/index.h"
#include "tessera/ops/quantized.h"

namespace tessera::cpu {

namespace {

// out[o, i, :] = x[o, index[i], :] on bytes, for contiguous x.
void gather(ThreadPool& pool, const std::byte* x, std::byte* y, std::int64_t outer,
            std::int64_t axis_size, std::int64_t inner_bytes,
            const std::vector<std::int64_t>& index) {
  const std::int64_t count = static_cast<std::int64_t>(index.size());
  const std::int64_t grain = 1 + 65536 / std::max<std::int64_t>(1, inner_bytes);
  pool.parallel_for(outer * count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t row = r / count * axis_size + index[r % count];
      std::memcpy(y + r * inner_bytes, x + row * inner_bytes, inner_bytes);
    }
  });
}

TensorPtr take_kernel(Context& ctx, const Take& op, Inputs in, const TensorSpec& out) {
  const Shape& shape = in[0]->shape();
  const std::int64_t axis_size = shape[op.axis];
  const std::vector<std::int64_t> index = read_indices(ctx, Take::kName, in[1], axis_size);
  const CpuTensorPtr x = ctx.contiguous(in[0]);
  CpuTensorPtr y = ctx.make(out);
  std::int64_t outer = 1;
  std::int64_t inner = out.dtype.size();
  for (int i = 0; i < op.axis; ++i) outer *= shape[i];
  for (std::size_t i = op.axis + 1; i < shape.size(); ++i) inner *= shape[i];
  gather(ctx.pool, x->bytes(), y->bytes(), outer, axis_size, inner, index);
  return y;
}

TensorPtr embedding_kernel(Context& ctx, const Embedding&, Inputs in, const TensorSpec& out) {
  const Shape& shape = in[1]->shape();
  const std::vector<std::int64_t> index = read_indices(ctx, Embedding::kName, in[0], shape[0]);
  const CpuTensorPtr table = ctx.contiguous(in[1]);
  CpuTensorPtr y = ctx.make(out);
  gather(ctx.pool, table->bytes(), y->bytes(), 1, shape[0], shape[1] * out.dtype.size(), index);
  return y;
}

TensorPtr quantized_embedding_kernel(Context& ctx, const QuantizedEmbedding& op, Inputs in,
                                     const TensorSpec& out) {
  const CpuTensorPtr table = ctx.contiguous(in[1]);
  const std::vector<std::int64_t> index =
      read_indices(ctx, QuantizedEmbedding::kName, in[0], table->shape()[0]);
  const std::int64_t stride = table->shape()[1];
  CpuTensorPtr rows = ctx.make({out.shape, float32});
  ctx.pool.parallel_for(index.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      dequantize_row(op.type, table->bytes() + index[i] * stride, rows->data<float>() + i * op.dims,
                     op.dims);
    }
  });
  if (out.dtype == float32) return rows;
  CpuTensorPtr y = ctx.make(out);
  copy_elements(ctx, *rows, *y);
  return y;
}

TensorPtr select_kernel(Context& ctx, const Select&, Inputs in, const TensorSpec& out) {
  const CpuTensor& c = as_cpu(in[0]);
  const CpuTensor& x = as_cpu(in[1]);
  const CpuTensor& z = as_cpu(in[2]);
  CpuTensorPtr y = ctx.make(out);
  const LoopPlan<4> plan(out.shape,
                         {y->strides(), broadcast_strides(c.shape(), c.strides(), out.shape),
                          broadcast_strides(x.shape(), x.strides(), out.shape),
                          broadcast_strides(z.shape(), z.strides(), out.shape)});
  dispatch(out.dtype, [&]<class T>() {
    plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
      T* d = y->template data<T>() + offset[0];
      const bool* p = c.data<bool>() + offset[1];
      const T* a = x.data<T>() + offset[2];
      const T* b = z.data<T>() + offset[3];
      for (std::int64_t i = 0; i < count; ++i) {
        d[i * step[0]] = p[i * step[1]] ? a[i * step[2]] : b[i * step[3]];
      }
    });
  });
  return y;
}

}  // namespace

void register_index(KernelRegistry& table) {
  table.add<Take, take_kernel>();
  table.add<Embedding, embedding_kernel>();
  table.add<QuantizedEmbedding, quantized_embedding_kernel>();
  table.add<Select, select_kernel>();
}

}  // namespace tessera::cpu

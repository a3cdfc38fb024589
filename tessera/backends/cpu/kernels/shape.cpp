// Reshape, transpose, broadcast and slice are views; slice_update writes in place when it may.
#include "tessera/ops/shape.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"

namespace tessera::cpu {

namespace {

TensorPtr reshape_kernel(Context& ctx, const Reshape&, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr x = ctx.contiguous(in[0]);
  return ctx.view(*x, out, x->offset(), row_major_strides(out.shape));
}

TensorPtr transpose_kernel(Context& ctx, const Transpose& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  Strides strides(op.axes.size());
  for (std::size_t i = 0; i < op.axes.size(); ++i) strides[i] = x.strides()[op.axes[i]];
  return ctx.view(x, out, x.offset(), std::move(strides));
}

TensorPtr broadcast_kernel(Context& ctx, const Broadcast&, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  return ctx.view(x, out, x.offset(), broadcast_strides(x.shape(), x.strides(), out.shape));
}

// A slice of `x` as a view.
CpuTensorPtr slice_view(Context& ctx, const CpuTensor& x, const Shape& start, const Shape& step,
                        const TensorSpec& spec) {
  std::int64_t offset = x.offset();
  Strides strides(start.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (spec.shape[i] > 0) offset += start[i] * x.strides()[i];
    strides[i] = spec.shape[i] > 1 ? x.strides()[i] * step[i] : 1;  // one element takes no step
  }
  if (num_elements(spec.shape) == 0) offset = x.offset();
  return ctx.view(x, spec, offset, std::move(strides));
}

TensorPtr slice_kernel(Context& ctx, const Slice& op, Inputs in, const TensorSpec& out) {
  return slice_view(ctx, as_cpu(in[0]), op.start, op.strides, out);
}

TensorPtr slice_update_kernel(Context& ctx, const SliceUpdate& op, Inputs in,
                              const TensorSpec& out) {
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  if (y != in[0]) copy_elements(ctx, as_cpu(in[0]), *y);
  const CpuTensor& update = as_cpu(in[1]);
  const CpuTensorPtr slot = slice_view(ctx, *y, op.start, op.strides, update.spec());
  copy_elements(ctx, update, *slot);
  return y;
}

TensorPtr concatenate_kernel(Context& ctx, const Concatenate& op, Inputs in,
                             const TensorSpec& out) {
  CpuTensorPtr y = ctx.make(out);
  Shape start(out.shape.size(), 0);
  const Shape step(out.shape.size(), 1);
  for (const TensorPtr& part : in) {
    const CpuTensorPtr slot = slice_view(ctx, *y, start, step, part->spec());
    copy_elements(ctx, as_cpu(part), *slot);
    start[op.axis] += part->shape()[op.axis];
  }
  return y;
}

TensorPtr pad_kernel(Context& ctx, const Pad& op, Inputs in, const TensorSpec& out) {
  CpuTensorPtr y = ctx.make(out);
  const CpuTensor& value = as_cpu(in[1]);
  const CpuTensorPtr filled = ctx.view(
      value, out, value.offset(), broadcast_strides(value.shape(), value.strides(), out.shape));
  copy_elements(ctx, *filled, *y);
  const CpuTensorPtr slot = slice_view(ctx, *y, op.low, Shape(out.shape.size(), 1), in[0]->spec());
  copy_elements(ctx, as_cpu(in[0]), *slot);
  return y;
}

}  // namespace

void register_shape(KernelRegistry& table) {
  table.add<Reshape, reshape_kernel>();
  table.add<Transpose, transpose_kernel>();
  table.add<Broadcast, broadcast_kernel>();
  table.add<Slice, slice_kernel>();
  table.add<SliceUpdate, slice_update_kernel>();
  table.add<Concatenate, concatenate_kernel>();
  table.add<Pad, pad_kernel>();
}

}  // namespace tessera::cpu

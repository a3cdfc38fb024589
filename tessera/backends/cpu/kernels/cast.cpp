#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/creation.h"

namespace tessera::cpu {

namespace {

TensorPtr cast_kernel(Context& ctx, const Cast&, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  // What a broadcast repeats is converted once and stays repeated.
  Shape distinct = x.shape();
  for (std::size_t i = 0; i < distinct.size(); ++i) {
    if (x.strides()[i] == 0 && distinct[i] > 1) distinct[i] = 1;
  }
  const CpuTensorPtr y = ctx.make({distinct, out.dtype});
  copy_elements(ctx, *ctx.view(x, {distinct, x.dtype()}, x.offset(), x.strides()), *y);
  if (distinct == x.shape()) return y;
  return ctx.view(*y, out, 0, broadcast_strides(distinct, y->strides(), out.shape));
}

}  // namespace

void register_cast(KernelRegistry& table) {
  table.add<Cast, cast_kernel>();
}

}  // namespace tessera::cpu

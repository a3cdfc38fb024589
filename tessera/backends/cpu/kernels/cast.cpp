#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/creation.h"

namespace tessera::cpu {

namespace {

TensorPtr cast_kernel(Context& ctx, const Cast&, Inputs in, const TensorSpec& out) {
  CpuTensorPtr y = ctx.make(out);
  copy_elements(ctx, as_cpu(in[0]), *y);
  return y;
}

}  // namespace

void register_cast(KernelRegistry& table) { table.add<Cast, cast_kernel>(); }

}  // namespace tessera::cpu

#include "tessera/backends/cpu/convert.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/creation.h"

namespace tessera::cpu {

namespace {

TensorPtr arange_kernel(Context& ctx, const Arange& op, Inputs, const TensorSpec& out) {
  CpuTensorPtr y = ctx.make(out);
  dispatch(out.dtype, [&]<class T>() {
    T* data = y->data<T>();
    for (std::int64_t i = 0; i < op.count; ++i) {
      data[i] = convert<T>(op.start + static_cast<double>(i) * op.step);
    }
  });
  return y;
}

}  // namespace

void register_arange(KernelRegistry& table) {
  table.add<Arange, arange_kernel>();
}

}  // namespace tessera::cpu

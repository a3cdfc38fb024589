#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/creation.h"

namespace tessera::cpu {

namespace {

TensorPtr arange_kernel(Context& ctx, const Arange& op, Inputs, const TensorSpec& out) {
  CpuTensorPtr y = ctx.make(out);
  dispatch(out.dtype, [&]<class T>() {
    T* data = y->data<T>();
    for (std::int64_t i = 0; i < op.count; ++i) {
      const double value = op.start + static_cast<double>(i) * op.step;
      if constexpr (is_half<T> || is_complex<T>) data[i] = T(static_cast<float>(value));
      else if constexpr (std::is_same_v<T, bool>) data[i] = value != 0;
      else data[i] = static_cast<T>(value);
    }
  });
  return y;
}

}  // namespace

void register_arange(KernelRegistry& table) { table.add<Arange, arange_kernel>(); }

}  // namespace tessera::cpu

// Running sums: each line along the axis is walked once.
#include "tessera/ops/scan.h"
#include "tessera/backends/cpu/kernel.h"

namespace tessera::cpu {

namespace {

template <class T>
void cumsum_line(const T* x, std::int64_t x_step, T* y, std::int64_t y_step, std::int64_t count,
                 bool inclusive) {
  using Sum = Wrapping<Compute<T>>;
  Sum sum(0);
  for (std::int64_t i = 0; i < count; ++i) {
    const Sum next =
        static_cast<Sum>(sum + static_cast<Sum>(static_cast<Compute<T>>(x[i * x_step])));
    y[i * y_step] = static_cast<T>(static_cast<Compute<T>>(inclusive ? next : sum));
    sum = next;
  }
}

TensorPtr cumsum_kernel(Context& ctx, const CumSum& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const std::int64_t count = out.shape[op.axis];
  if (y->size() == 0) return y;
  const std::int64_t lines = y->size() / count;
  dispatch(out.dtype, [&]<class T>() {
    // Backwards is forwards from the last element with the step negated.
    const std::int64_t sign = op.reverse ? -1 : 1;
    const std::int64_t x_step = x.strides()[op.axis];
    const std::int64_t y_step = y->strides()[op.axis];
    ctx.pool.parallel_for(lines, 1 + 16384 / count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t line = begin; line < end; ++line) {
        std::int64_t from = op.reverse ? (count - 1) * x_step : 0;
        std::int64_t to = op.reverse ? (count - 1) * y_step : 0;
        std::int64_t rest = line;
        for (std::size_t axis = out.shape.size(); axis-- > 0;) {
          if (static_cast<int>(axis) == op.axis) continue;
          from += rest % out.shape[axis] * x.strides()[axis];
          to += rest % out.shape[axis] * y->strides()[axis];
          rest /= out.shape[axis];
        }
        cumsum_line<T>(x.data<T>() + from, sign * x_step, y->template data<T>() + to, sign * y_step,
                       count, op.inclusive);
      }
    });
  });
  return y;
}

}  // namespace

void register_scan(KernelRegistry& table) {
  table.add<CumSum, cumsum_kernel>();
}

}  // namespace tessera::cpu

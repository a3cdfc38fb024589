// Linear layers: the threads' shares of W's rows.
#include <algorithm>
#include <memory>

#include "tessera/backends/cpu/isa/isa.h"
#include "tessera/backends/cpu/isa/matmul.h"

namespace tessera::cpu::isa {
namespace {

LinearTask task_of(const LinearArgs& args, const void* w, std::int64_t w_bytes) {
  return {.m = args.m,
          .k = args.k,
          .x = args.x,
          .x_stride = args.x_stride != 0 ? args.x_stride : args.k,
          .w = w,
          .w_stride = w_bytes,
          .bias = args.bias,
          .y = args.y,
          .y_stride = args.y_stride != 0 ? args.y_stride : args.n,
          .alpha = args.alpha};
}

void write_bias(const LinearTask& task, std::int64_t n) {
  for (std::int64_t m = 0; m < task.m; ++m) {
    float* row = task.y + m * task.y_stride;
    if (task.bias)
      std::copy_n(task.bias, n, row);
    else
      std::fill_n(row, n, 0.0f);
  }
}

/// run(n_begin, n_end) over pieces of whole strips of `unit` rows.
void over_rows(ThreadPool& pool, const LinearTask& task, std::int64_t n, std::int64_t unit,
               function_ref<void(std::int64_t, std::int64_t)> run) {
  const std::int64_t units = (n + unit - 1) / unit;
  const std::int64_t grain = kGrainProducts / std::max<std::int64_t>(1, unit * task.k * task.m) + 1;
  pool.parallel_for(units, grain, [&](std::int64_t begin, std::int64_t end) {
    run(begin * unit, std::min(n, end * unit));
  });
}

// Rows that the kernels take together; see linear_kernels.h and fast_kernels.h.
constexpr std::int64_t kPreciseUnit = 12;
constexpr std::int64_t kFastUnit = 16;

// Up to here the rows of W are read for little work, and cheap widening is what counts.
constexpr std::int64_t kFewRows = 4;

void linear_few(ThreadPool& pool, const LinearTask& task, std::int64_t n, QuantType type) {
  const Kernels& table = kernels();
  const auto m = static_cast<std::size_t>(task.m), k = static_cast<std::size_t>(task.k);
  const auto x = std::make_unique_for_overwrite<float[]>(m * k + m * k / 4);
  const SummedRows rows{.x = x.get(), .sums = x.get() + m * k};
  for (std::int64_t i = 0; i < task.m; ++i) {
    table.sum_row(task.x + i * task.x_stride, task.k, rows, i);
  }
  const auto kernel = table.linear_few[static_cast<int>(type)];
  over_rows(pool, task, n, kPreciseUnit,
            [&](std::int64_t begin, std::int64_t end) { kernel(task, rows, begin, end); });
}

void linear_fast(ThreadPool& pool, const LinearTask& task, std::int64_t n, QuantType type) {
  const Kernels& table = kernels();
  const auto m = static_cast<std::size_t>(task.m), k = static_cast<std::size_t>(task.k);
  const auto q = std::make_unique_for_overwrite<std::int8_t[]>(m * k);
  const auto scales = std::make_unique_for_overwrite<float[]>(m * k / 8);
  const QuantizedRows rows{.q = q.get(),
                           .scale = scales.get(),
                           .sum_of_16 = scales.get() + m * k / 32,
                           .sum_of_32 = scales.get() + m * k * 3 / 32};
  pool.parallel_for(task.m, kGrainProducts / task.k + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      table.quantize_row(task.x + i * task.x_stride, task.k, rows, i);
    }
  });
  const auto kernel = table.linear_fast[static_cast<int>(type)];
  over_rows(pool, task, n, kFastUnit,
            [&](std::int64_t begin, std::int64_t end) { kernel(task, rows, begin, end); });
}

}  // namespace

void linear(ThreadPool& pool, const LinearArgs& args, FloatType type, const void* w,
            std::int64_t w_stride) {
  if (args.m <= 0 || args.n <= 0) return;
  const std::int64_t element_bytes = type == FloatType::f32 ? 4 : 2;
  const LinearTask task = task_of(args, w, (w_stride != 0 ? w_stride : args.k) * element_bytes);
  if (args.k == 0) return write_bias(task, args.n);
  const auto kernel = kernels().linear[static_cast<int>(type)];
  over_rows(pool, task, args.n, kPreciseUnit,
            [&](std::int64_t begin, std::int64_t end) { kernel(task, begin, end); });
}

void linear_quantized(ThreadPool& pool, const LinearArgs& args, QuantType type, const std::byte* w,
                      QuantCompute compute) {
  const LinearTask task = task_of(args, w, row_bytes(type, args.k));
  if (args.m <= 0 || args.n <= 0) return;
  if (args.k == 0) return write_bias(task, args.n);
  if (compute == QuantCompute::fast) return linear_fast(pool, task, args.n, type);
  if (args.m <= kFewRows && kernels().linear_few[static_cast<int>(type)] != nullptr) {
    return linear_few(pool, task, args.n, type);
  }
  const auto kernel = kernels().linear[kFloatTypes + static_cast<int>(type)];
  over_rows(pool, task, args.n, kPreciseUnit,
            [&](std::int64_t begin, std::int64_t end) { kernel(task, begin, end); });
}

void dequantize(QuantType type, const std::byte* blocks, float* out, std::int64_t k) {
  static_cast<void>(row_bytes(type, k));  // refuses a k that is not whole blocks
  kernels().dequantize[static_cast<int>(type)](blocks, out, k);
}

}  // namespace tessera::cpu::isa

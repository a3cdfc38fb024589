#include "tessera/backends/cpu/isa/grouped.h"

#include <algorithm>
#include <memory>

#include "tessera/backends/cpu/isa/isa.h"

namespace tessera::cpu::isa {
namespace {

constexpr std::int64_t kUnit = 12;  // rows of W that go together

}  // namespace

void linear_grouped(ThreadPool& pool, const LinearArgs& args, const GroupedMatrix& w) {
  if (args.m <= 0 || args.n <= 0) return;
  const LinearTask task{.m = args.m,
                        .k = args.k,
                        .x = args.x,
                        .x_stride = args.x_stride != 0 ? args.x_stride : args.k,
                        .w = nullptr,
                        .w_stride = 0,
                        .bias = args.bias,
                        .y = args.y,
                        .y_stride = args.y_stride != 0 ? args.y_stride : args.n,
                        .alpha = args.alpha};
  if (args.k == 0) {
    for (std::int64_t m = 0; m < task.m; ++m) {
      for (std::int64_t n = 0; n < args.n; ++n) {
        task.y[m * task.y_stride + n] = task.bias ? task.bias[n] : 0.0f;
      }
    }
    return;
  }
  const auto kernel = kernels().linear_grouped[static_cast<int>(w.type)];
  pool.parallel_for((args.n + kUnit - 1) / kUnit, kGrainProducts / (kUnit * task.k * task.m) + 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      kernel(task, w.rows, begin * kUnit, std::min(args.n, end * kUnit));
                    });
}

void product_grouped(ThreadPool& pool, const LinearArgs& args, const GroupedMatrix& w) {
  if (args.m <= 0 || args.n <= 0) return;
  // A tile of W, 32 KiB of floats, is widened and then used by every row of x.
  constexpr std::int64_t kColumns = 128, kRows = 64;
  const Kernels& table = kernels();
  const auto widen = table.widen_grouped[static_cast<int>(w.type)];
  const auto multiply = table.weighted_rows[static_cast<int>(FloatType::f32)];
  const std::int64_t x_stride = args.x_stride != 0 ? args.x_stride : args.k;
  const std::int64_t y_stride = args.y_stride != 0 ? args.y_stride : args.n;
  const std::int64_t grain =
      kGrainProducts / (kColumns * std::max<std::int64_t>(1, args.k) * args.m) + 1;
  pool.parallel_for((args.n + kColumns - 1) / kColumns, grain,
                    [&](std::int64_t begin, std::int64_t end) {
                      const auto tile = std::make_unique_for_overwrite<float[]>(kColumns * kRows);
                      for (std::int64_t n = begin * kColumns; n < std::min(args.n, end * kColumns);
                           n += kColumns) {
                        const std::int64_t columns = std::min(kColumns, args.n - n);
                        for (std::int64_t k = 0; k < args.k || k == 0; k += kRows) {
                          const std::int64_t rows = std::min(kRows, args.k - k);
                          for (std::int64_t i = 0; i < rows; ++i) {
                            widen(w.rows, k + i, n, n + columns, tile.get() + i * kColumns);
                          }
                          multiply(args.m, rows, columns, args.x + k, x_stride, tile.get(),
                                   kColumns, args.y + n, y_stride, k > 0);
                        }
                      }
                    });
}

void dequantize(const GroupedMatrix& w, std::int64_t row, std::int64_t k, float* out) {
  kernels().widen_grouped[static_cast<int>(w.type)](w.rows, row, 0, k, out);
}

}  // namespace tessera::cpu::isa

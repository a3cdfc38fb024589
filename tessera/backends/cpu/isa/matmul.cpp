// The general product: picks a path by shape and strides.
//
//   k adjacent in a and b (b transposed)      the linear kernels, nothing packed
//   up to four columns, k adjacent in a       the same with the operands swapped
//   up to eight rows, b's columns adjacent    b is read where it lies
//   otherwise                                 packed panels
#include "tessera/backends/cpu/isa/matmul.h"

#include <algorithm>
#include <memory>
#include <new>

#include "tessera/backends/cpu/isa/isa.h"

namespace tessera::cpu::isa {
namespace {

// Panels of A (kBlockM x kBlockK, 72 KiB) stay in L2, a strip of B (kBlockK x 16, 16 KiB) in L1.
constexpr std::int64_t kBlockM = 72, kBlockK = 256, kBlockN = 1024;
constexpr std::int64_t kDirectM = 8, kSwapN = 4;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

std::int64_t bytes_of(FloatType type) {
  return type == FloatType::f32 ? 4 : 2;
}

/// Floats on a cache line's boundary.
class Scratch {
 public:
  explicit Scratch(std::int64_t floats)
      : data_(static_cast<float*>(
            ::operator new(sizeof(float) * static_cast<std::size_t>(floats), kAlign))) {}
  ~Scratch() { ::operator delete(data_, kAlign); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  float* get() const { return data_; }

 private:
  static constexpr std::align_val_t kAlign{64};
  float* data_;
};

StridedMatrix part(const StridedMatrix& m, std::int64_t row, std::int64_t column) {
  const std::int64_t offset = row * m.row_stride + column * m.column_stride;
  return {static_cast<const std::byte*>(m.data) + offset * bytes_of(m.type), m.type, m.row_stride,
          m.column_stride};
}

StridedMatrix transposed(const StridedMatrix& m) {
  return {m.data, m.type, m.column_stride, m.row_stride};
}

/// The matrix as adjacent rows of floats.
void widen_rows(const StridedMatrix& from, std::int64_t rows, std::int64_t columns, float* to) {
  const Kernels& table = kernels();
  for (std::int64_t i = 0; i < rows; ++i, to += columns) {
    if (from.column_stride == 1) {
      table.widen[static_cast<int>(from.type)](part(from, i, 0).data, to, columns);
    } else {
      for (std::int64_t j = 0; j < columns; ++j) {
        table.widen[static_cast<int>(from.type)](part(from, i, j).data, to + j, 1);
      }
    }
  }
}

struct Product {
  ThreadPool& pool;
  std::int64_t m, n, k;
  StridedMatrix a, b;
  float* c;
  std::int64_t c_stride;
};

void linear_product(const Product& p) {
  std::unique_ptr<Scratch> wide;
  const float* x = static_cast<const float*>(p.a.data);
  std::int64_t x_stride = p.a.row_stride;
  if (p.a.type != FloatType::f32) {
    wide = std::make_unique<Scratch>(p.m * p.k);
    widen_rows(p.a, p.m, p.k, wide->get());
    x = wide->get();
    x_stride = p.k;
  }
  LinearTask task{.m = p.m,
                  .k = p.k,
                  .x = x,
                  .x_stride = x_stride,
                  .w = p.b.data,
                  .w_stride = p.b.column_stride * bytes_of(p.b.type),
                  .bias = nullptr,
                  .y = p.c,
                  .y_stride = p.c_stride,
                  .alpha = 1};
  const auto kernel = kernels().linear[static_cast<int>(p.b.type)];
  constexpr std::int64_t kUnit = 12, kGrain = 64 * 1024;
  p.pool.parallel_for((p.n + kUnit - 1) / kUnit, kGrain / (kUnit * p.m * p.k) + 1,
                      [&](std::int64_t begin, std::int64_t end) {
                        kernel(task, begin * kUnit, std::min(p.n, end * kUnit));
                      });
}

/// c^T = b^T a^T, with b's few columns copied to rows.
void swapped_product(const Product& p) {
  const Scratch columns(p.n * p.k);
  const Scratch out(p.n * p.m);
  widen_rows(transposed(p.b), p.n, p.k, columns.get());
  linear_product({p.pool,
                  p.n,
                  p.m,
                  p.k,
                  {columns.get(), FloatType::f32, p.k, 1},
                  transposed(p.a),
                  out.get(),
                  p.m});
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) p.c[i * p.c_stride + j] = out.get()[j * p.m + i];
  }
}

void direct_product(const Product& p) {
  const Scratch rows(p.m * p.k);
  widen_rows(p.a, p.m, p.k, rows.get());
  const auto kernel = kernels().weighted_rows[static_cast<int>(p.b.type)];
  constexpr std::int64_t kUnit = 64, kGrain = 64 * 1024;
  p.pool.parallel_for((p.n + kUnit - 1) / kUnit, kGrain / (kUnit * p.m * p.k) + 1,
                      [&](std::int64_t begin, std::int64_t end) {
                        const std::int64_t n = begin * kUnit;
                        kernel(p.m, p.k, std::min(p.n, end * kUnit) - n, rows.get(), p.k,
                               part(p.b, 0, n).data, p.b.row_stride, p.c + n, p.c_stride, false);
                      });
}

void packed_product(const Product& p) {
  const Kernels& table = kernels();
  const std::int64_t rows = table.gemm_rows, columns = table.gemm_columns;
  const std::int64_t block_m = round_up(std::min(p.m, kBlockM), rows);
  const std::int64_t block_n = round_up(std::min(p.n, kBlockN), columns);
  const std::int64_t block_k = std::min(p.k, kBlockK);
  const Scratch packed_b(block_n * block_k);

  for (std::int64_t n0 = 0; n0 < p.n; n0 += block_n) {
    const std::int64_t n_size = std::min(block_n, p.n - n0);
    for (std::int64_t k0 = 0; k0 < p.k; k0 += block_k) {
      const std::int64_t k_size = std::min(block_k, p.k - k0);
      p.pool.parallel_for(
          (n_size + columns - 1) / columns, 4, [&](std::int64_t begin, std::int64_t end) {
            const std::int64_t n = begin * columns;
            table.pack_b(part(p.b, k0, n0 + n), k_size, std::min(n_size, end * columns) - n,
                         packed_b.get() + n * k_size);
          });
      // With few blocks of rows, the columns are split as well, so that every thread has a share.
      const std::int64_t m_blocks = (p.m + block_m - 1) / block_m;
      const std::int64_t strips = (n_size + columns - 1) / columns;
      const std::int64_t splits =
          std::min(strips, std::max<std::int64_t>(1, 2 * p.pool.size() / m_blocks));
      const std::int64_t split = (strips + splits - 1) / splits * columns;
      p.pool.parallel_for(m_blocks * splits, 1, [&](std::int64_t begin, std::int64_t end) {
        const Scratch packed_a(block_m * k_size);
        std::int64_t packed = -1;
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t m = i / splits * block_m, n = i % splits * split;
          if (n >= n_size) continue;
          const std::int64_t m_size = std::min(block_m, p.m - m);
          if (packed != m) table.pack_a(part(p.a, m, k0), m_size, k_size, packed_a.get());
          packed = m;
          table.gemm_block({.m = m_size,
                            .n = std::min(split, n_size - n),
                            .k = k_size,
                            .a = packed_a.get(),
                            .b = packed_b.get() + n * k_size,
                            .c = p.c + m * p.c_stride + n0 + n,
                            .c_stride = p.c_stride,
                            .accumulate = k0 > 0});
        }
      });
    }
  }
}

void float_product(const Product& p) {
  const bool a_rows_adjacent = p.a.column_stride == 1 || p.k == 1;
  if (p.b.row_stride == 1 && a_rows_adjacent) return linear_product(p);
  if (p.n <= kSwapN && a_rows_adjacent) return swapped_product(p);
  if (p.m <= kDirectM && p.b.column_stride == 1) return direct_product(p);
  packed_product(p);
}

}  // namespace

void matmul(ThreadPool& pool, std::int64_t m, std::int64_t n, std::int64_t k,
            const StridedMatrix& a, const StridedMatrix& b, const MatmulOutput& c) {
  if (m <= 0 || n <= 0) return;
  const Kernels& table = kernels();
  if (c.type == FloatType::f32 && k > 0) {
    return float_product({pool, m, n, k, a, b, static_cast<float*>(c.data), c.row_stride});
  }
  const Scratch wide(m * n);
  if (k > 0)
    float_product({pool, m, n, k, a, b, wide.get(), n});
  else
    std::fill_n(wide.get(), m * n, 0.0f);
  for (std::int64_t i = 0; i < m; ++i) {
    table.narrow[static_cast<int>(c.type)](
        wide.get() + i * n, static_cast<std::byte*>(c.data) + i * c.row_stride * bytes_of(c.type),
        n);
  }
}

}  // namespace tessera::cpu::isa

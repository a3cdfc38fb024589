// Products with weights quantised in groups, and products of chosen matrices.
#include "tessera/ops/quantized_matmul.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "tessera/backends/cpu/grouped_matrix.h"
#include "tessera/backends/cpu/indices.h"
#include "tessera/backends/cpu/strided.h"

namespace tessera::cpu {

namespace {

Shape batch_of(const Shape& shape) {
  return Shape(shape.begin(), shape.end() - 2);
}

TensorPtr narrowed(Context& ctx, const CpuTensorPtr& wide, const TensorSpec& out) {
  if (out.dtype == float32) return wide;
  CpuTensorPtr y = ctx.make(out);
  copy_elements(ctx, *wide, *y);
  return y;
}

// m rows of x times one matrix of w, the `which`-th.
struct GroupedProduct {
  const GroupedWeight& weight;
  bool transpose;
  std::int64_t n, k;

  void run(ThreadPool& pool, std::int64_t m, const float* x, std::int64_t which, float* y) const {
    isa::LinearArgs args;
    args.m = m;
    args.n = n;
    args.k = k;
    args.x = x;
    args.y = y;
    const isa::GroupedMatrix w = weight.from_row(which * (transpose ? n : k));
    if (transpose)
      isa::linear_grouped(pool, args, w);
    else
      isa::product_grouped(pool, args, w);
  }
};

TensorPtr quantized_matmul_kernel(Context& ctx, const QuantizedMatmul& op, Inputs in,
                                  const TensorSpec& out) {
  const CpuTensorPtr x = ctx.to_float32(in[0]);
  const GroupedWeight weight(ctx, in.subspan(1), op.groups);
  const CpuTensorPtr y = ctx.make({out.shape, float32});
  if (y->size() == 0) return narrowed(ctx, y, out);
  const GroupedProduct product{weight, op.transpose, out.shape.back(), x->shape().back()};
  const Shape w_batch = batch_of(in[1]->shape());
  if (num_elements(w_batch) == 1) {
    product.run(ctx.pool, y->size() / product.n, x->data<float>(), 0, y->data<float>());
    return narrowed(ctx, y, out);
  }
  // Batch axes broadcast: which matrix of x and of w each of the output's takes.
  const std::int64_t m = x->shape().size() > 1 ? x->shape().end()[-2] : 1;
  const std::int64_t matrices = y->size() / (m * product.n);
  const std::size_t own = x->shape().size() > 1 ? 2 : 1;
  const Shape batch(out.shape.begin(), out.shape.end() - static_cast<std::ptrdiff_t>(own));
  const Shape x_batch(x->shape().begin(), x->shape().end() - static_cast<std::ptrdiff_t>(own));
  const Strides xs = broadcast_strides(x_batch, row_major_strides(x_batch), batch);
  const Strides ws = broadcast_strides(w_batch, row_major_strides(w_batch), batch);
  for (std::int64_t i = 0; i < matrices; ++i) {
    std::int64_t rest = i;
    std::int64_t xi = 0;
    std::int64_t wi = 0;
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      xi += rest % batch[axis] * xs[axis];
      wi += rest % batch[axis] * ws[axis];
      rest /= batch[axis];
    }
    product.run(ctx.pool, m, x->data<float>() + xi * m * product.k, wi,
                y->data<float>() + i * m * product.n);
  }
  return narrowed(ctx, y, out);
}

// Runs product(m, x, which, y) for every pair of indices. All that one matrix of w is chosen for
// goes through it together, so that it is read once; a row gives the same bits alone as among
// others. x and y hold matrices of m rows, so many bytes each.
template <class Product>
void gathered(const std::vector<std::int64_t>& lhs, const std::vector<std::int64_t>& rhs,
              std::int64_t m, const std::byte* x, std::int64_t x_bytes, std::byte* y,
              std::int64_t y_bytes, Product product) {
  std::vector<std::int64_t> order(rhs.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return rhs[a] < rhs[b]; });
  std::vector<std::byte> rows, results;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const std::int64_t which = rhs[order[begin]];
    while (end < order.size() && rhs[order[end]] == which) ++end;
    const auto count = static_cast<std::int64_t>(end - begin);
    if (count == 1) {
      const std::int64_t i = order[begin];
      product(m, x + lhs[i] * x_bytes, which, y + i * y_bytes);
      continue;
    }
    rows.resize(count * x_bytes);
    results.resize(count * y_bytes);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(rows.data() + i * x_bytes, x + lhs[order[begin + i]] * x_bytes, x_bytes);
    }
    product(count * m, rows.data(), which, results.data());
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(y + order[begin + i] * y_bytes, results.data() + i * y_bytes, y_bytes);
    }
  }
}

TensorPtr gather_qmm_kernel(Context& ctx, const GatherQmm& op, Inputs in, const TensorSpec& out) {
  const Inputs quantized = in.subspan(1, in.size() - 3);
  const Shape& x_shape = in[0]->shape();
  const auto lhs =
      read_indices(ctx, GatherQmm::kName, in[in.size() - 2], num_elements(batch_of(x_shape)));
  const auto rhs = read_indices(ctx, GatherQmm::kName, in[in.size() - 1],
                                num_elements(batch_of(quantized[0]->shape())));
  const CpuTensorPtr x = ctx.to_float32(in[0]);
  const GroupedWeight weight(ctx, quantized, op.groups);
  const CpuTensorPtr y = ctx.make({out.shape, float32});
  if (y->size() == 0) return narrowed(ctx, y, out);
  const std::int64_t m = out.shape.end()[-2];
  const GroupedProduct product{weight, op.transpose, out.shape.back(), x->shape().back()};
  gathered(lhs, rhs, m, x->bytes(), m * product.k * 4, y->bytes(), m * product.n * 4,
           [&](std::int64_t rows, const std::byte* from, std::int64_t which, std::byte* to) {
             product.run(ctx.pool, rows, reinterpret_cast<const float*>(from), which,
                         reinterpret_cast<float*>(to));
           });
  return narrowed(ctx, y, out);
}

void multiply_double(const double* a, const double* b, double* y, std::int64_t m, std::int64_t n,
                     std::int64_t k) {
  std::fill_n(y, m * n, 0.0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      for (std::int64_t c = 0; c < n; ++c) y[i * n + c] += a[i * k + j] * b[j * n + c];
    }
  }
}

TensorPtr gather_mm_kernel(Context& ctx, const GatherMm&, Inputs in, const TensorSpec& out) {
  const auto lhs =
      read_indices(ctx, GatherMm::kName, in[2], num_elements(batch_of(in[0]->shape())));
  const auto rhs =
      read_indices(ctx, GatherMm::kName, in[3], num_elements(batch_of(in[1]->shape())));
  const CpuTensorPtr a = ctx.contiguous(in[0]);
  const CpuTensorPtr b = ctx.contiguous(in[1]);
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  const std::int64_t m = out.shape.end()[-2];
  const std::int64_t n = out.shape.back();
  const std::int64_t k = a->shape().back();
  const std::int64_t item = out.dtype.size();
  const auto type = out.dtype == float16    ? isa::FloatType::f16
                    : out.dtype == bfloat16 ? isa::FloatType::bf16
                                            : isa::FloatType::f32;
  gathered(
      lhs, rhs, m, a->bytes(), m * k * item, y->bytes(), m * n * item,
      [&](std::int64_t rows, const std::byte* from, std::int64_t which, std::byte* to) {
        const std::byte* matrix = b->bytes() + which * k * n * item;
        if (out.dtype == float64) {
          return multiply_double(reinterpret_cast<const double*>(from),
                                 reinterpret_cast<const double*>(matrix),
                                 reinterpret_cast<double*>(to), rows, n, k);
        }
        isa::matmul(ctx.pool, rows, n, k, {from, type, k, 1}, {matrix, type, n, 1}, {to, type, n});
      });
  return y;
}

}  // namespace

void register_quantized_matmul(KernelRegistry& table) {
  table.add<QuantizedMatmul, quantized_matmul_kernel>();
  table.add<GatherQmm, gather_qmm_kernel>();
  table.add<GatherMm, gather_mm_kernel>();
}

}  // namespace tessera::cpu

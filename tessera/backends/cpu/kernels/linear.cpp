// Linear layers over float and packed weights, and the general matrix product.
#include "tessera/backends/cpu/float_type.h"
#include "tessera/backends/cpu/isa/matmul.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/quantized.h"

namespace tessera::cpu {

using isa::FloatType;
using isa::LinearArgs;

namespace {

// A float64 operand has no vector kernel; its products run in double, plainly.
bool has_double(Inputs in) {
  for (const TensorPtr& t : in) {
    if (t->dtype() == float64) return true;
  }
  return false;
}

// y[m, n] = x[m, k] w[n, k]^T + bias[n], in double.
void linear_double(ThreadPool& pool, std::int64_t m, std::int64_t n, std::int64_t k,
                   const double* x, const double* w, const double* bias, double* y) {
  pool.parallel_for(m * n, 1 + 8192 / (k + 1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double sum = bias ? bias[i % n] : 0.0;
      for (std::int64_t j = 0; j < k; ++j) sum += x[i / n * k + j] * w[i % n * k + j];
      y[i] = sum;
    }
  });
}

// The rows of x as float32, the product through `product`, and the result in the output's dtype.
template <class Product>
TensorPtr linear_rows(Context& ctx, Inputs in, const TensorSpec& out, std::int64_t k,
                      Product product) {
  const CpuTensorPtr x = ctx.to_float32(in[0]);
  const CpuTensorPtr bias = in.size() > 2 ? ctx.to_float32(in[2]) : nullptr;
  CpuTensorPtr y = ctx.make({out.shape, float32});
  LinearArgs args;
  args.n = out.shape.back();
  args.m = args.n == 0 ? 0 : y->size() / args.n;
  args.k = k;
  args.x = x->data<float>();
  args.bias = bias ? bias->data<float>() : nullptr;
  args.y = y->data<float>();
  product(args);
  if (out.dtype == float32) return y;
  CpuTensorPtr narrow = ctx.make(out);
  copy_elements(ctx, *y, *narrow);
  return narrow;
}

TensorPtr linear_kernel(Context& ctx, const Linear&, Inputs in, const TensorSpec& out) {
  const std::int64_t k = in[1]->shape()[1];
  if (has_double(in)) {
    const CpuTensorPtr x = ctx.to_dtype(in[0], float64);
    const CpuTensorPtr w = ctx.to_dtype(in[1], float64);
    const CpuTensorPtr bias = in.size() > 2 ? ctx.to_dtype(in[2], float64) : nullptr;
    CpuTensorPtr y = ctx.make({out.shape, float64});
    const std::int64_t n = out.shape.back();
    linear_double(ctx.pool, n == 0 ? 0 : y->size() / n, n, k, x->data<double>(), w->data<double>(),
                  bias ? bias->data<double>() : nullptr, y->data<double>());
    return ctx.to_dtype(y, out.dtype);
  }
  const CpuTensor& given = as_cpu(in[1]);
  // Weights are read in place when their rows are dense, whatever the distance between rows; one
  // row repeated has the distance 0, which the kernels take for "no gaps".
  const bool dense = (given.strides()[1] == 1 || given.shape()[1] <= 1) && given.strides()[0] != 0;
  const CpuTensorPtr w = dense ? std::static_pointer_cast<CpuTensor>(in[1]) : ctx.contiguous(in[1]);
  return linear_rows(ctx, in, out, k, [&](const LinearArgs& args) {
    isa::linear(ctx.pool, args, float_type(w->dtype()), w->bytes(), w->strides()[0]);
  });
}

TensorPtr quantized_linear_kernel(Context& ctx, const QuantizedLinear& op, Inputs in,
                                  const TensorSpec& out) {
  const CpuTensorPtr w = ctx.contiguous(in[1]);
  return linear_rows(ctx, in, out, op.in_features, [&](const LinearArgs& args) {
    isa::linear_quantized(ctx.pool, args, op.type, w->bytes(), op.compute);
  });
}

TensorPtr dequantize_kernel(Context& ctx, const Dequantize& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr packed = ctx.contiguous(in[0]);
  CpuTensorPtr y = ctx.make({out.shape, float32});
  const std::int64_t stride = packed->shape().back();
  const std::int64_t rows = stride == 0 ? 0 : packed->size() / stride;
  ctx.pool.parallel_for(rows, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      isa::dequantize(op.type, packed->bytes() + r * stride, y->data<float>() + r * op.columns,
                      op.columns);
    }
  });
  return ctx.to_dtype(y, out.dtype);
}

TensorPtr matmul_kernel(Context& ctx, const Matmul&, Inputs in, const TensorSpec& out) {
  const std::size_t rank = out.shape.size();
  const std::int64_t m = out.shape[rank - 2];
  const std::int64_t n = out.shape[rank - 1];
  const std::int64_t k = in[0]->shape().back();
  CpuTensorPtr y = ctx.make(out);
  if (y->size() == 0) return y;
  const CpuTensor& a = as_cpu(in[0]);
  const CpuTensor& b = as_cpu(in[1]);

  // Batch axes broadcast: strides of every operand under the output's batch shape.
  const auto batch_strides = [&](const CpuTensor& t) {
    const Shape own(t.shape().begin(), t.shape().end() - 2);
    const Strides strides(t.strides().begin(), t.strides().end() - 2);
    return broadcast_strides(own, strides, Shape(out.shape.begin(), out.shape.end() - 2));
  };
  const Strides sa = batch_strides(a);
  const Strides sb = batch_strides(b);
  const std::int64_t batches = y->size() / (m * n);
  const std::int64_t item = out.dtype.size();
  const auto a_row = a.strides().end()[-2], a_column = a.strides().end()[-1];
  const auto b_row = b.strides().end()[-2], b_column = b.strides().end()[-1];
  for (std::int64_t i = 0; i < batches; ++i) {
    std::int64_t rest = i;
    std::int64_t at = 0;
    std::int64_t bt = 0;
    for (std::size_t axis = rank - 2; axis-- > 0;) {
      at += rest % out.shape[axis] * sa[axis];
      bt += rest % out.shape[axis] * sb[axis];
      rest /= out.shape[axis];
    }
    if (out.dtype == float64) {
      const double* pa = a.data<double>() + at;
      const double* pb = b.data<double>() + bt;
      double* py = y->data<double>() + i * m * n;
      ctx.pool.parallel_for(m * n, 1 + 8192 / (k + 1), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t e = begin; e < end; ++e) {
          double sum = 0;
          for (std::int64_t j = 0; j < k; ++j) {
            sum += pa[e / n * a_row + j * a_column] * pb[j * b_row + e % n * b_column];
          }
          py[e] = sum;
        }
      });
      continue;
    }
    const FloatType type = float_type(out.dtype);
    isa::matmul(ctx.pool, m, n, k, {a.bytes() + at * item, type, a_row, a_column},
                {b.bytes() + bt * item, type, b_row, b_column},
                {y->bytes() + i * m * n * item, type, n});
  }
  return y;
}

}  // namespace

void register_linear(KernelRegistry& table) {
  table.add<Linear, linear_kernel>();
  table.add<QuantizedLinear, quantized_linear_kernel>();
  table.add<Dequantize, dequantize_kernel>();
  table.add<Matmul, matmul_kernel>();
}

}  // namespace tessera::cpu

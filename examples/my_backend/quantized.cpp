// Weights that come quantised. The layouts and their exact values are the library's, so its
// reference code does the work, a row at a time; a fast backend would compute from the packed rows
// instead.
#include <tessera/ops/quantize.h>
#include <tessera/ops/quantized.h>

#include "tensor.h"

namespace my_backend {

namespace {

TensorPtr do_dequantize(const Context& ctx, const Dequantize& op, Inputs in,
                        const TensorSpec& out) {
  const DensePtr y = ctx.make({out.shape, float32});
  const std::int64_t packed = in[0]->shape().back();
  const std::int64_t rows = packed == 0 ? 0 : dense(in[0]).size() / packed;
  for (std::int64_t row = 0; row < rows; ++row) {
    dequantize_row(op.type, dense(in[0]).bytes() + row * packed,
                   y->data<float>() + row * op.columns, op.columns);
  }
  return ctx.cast(y, out.dtype);
}

TensorPtr do_quantize(const Context& ctx, const Quantize& op, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  const std::int64_t k = in[0]->shape().back();
  const std::int64_t rows = k == 0 ? 0 : dense(in[0]).size() / k;
  const std::int64_t row_bytes = out.shape.back() * out.dtype.size();
  dispatch(in[0]->dtype(), [&]<class T>() {
    if constexpr (is_half<T> || std::is_same_v<T, float>) {
      for (std::int64_t row = 0; row < rows; ++row) {
        quantize_row(op.groups, op.part, dense(in[0]).data<T>() + row * k, k,
                     y->bytes() + row * row_bytes);
      }
    }
  });
  return y;
}

}  // namespace

void add_quantized(Kernels& kernels) {
  add<Dequantize, do_dequantize>(kernels);
  add<Quantize, do_quantize>(kernels);
}

}  // namespace my_backend

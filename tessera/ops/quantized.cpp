#include "tessera/ops/quantized.h"

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/matmul.h"

namespace tessera {

namespace {
// A packed array's last axis must be exactly the bytes of `columns` weights.
void check_packed(const char* op, const array& packed, QuantType type, std::int64_t columns) {
  if (packed.dtype() != uint8 || packed.ndim() < 1 ||
      packed.shape(-1) != row_bytes(type, columns)) {
    fail(ErrorCode::shape_mismatch, op, "{} rows of {} are uint8 [..., {}], got {}",
         to_string(type), columns, row_bytes(type, columns), detail::describe(packed));
  }
}
}  // namespace

TensorSpec QuantizedLinear::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 3);
  const array& x = in[0];
  detail::check_floating(kName, x);
  detail::check_rank(kName, x, 1);
  check_packed(kName, in[1], type, in_features);
  if (in[1].ndim() != 2 || x.shape(-1) != in_features) {
    fail(ErrorCode::shape_mismatch, kName, "x {} does not fit packed weights {} of {} columns",
         detail::describe(x), detail::describe(in[1]), in_features);
  }
  if (in.size() == 3 && in[2].shape() != Shape{in[1].shape(0)}) {
    fail(ErrorCode::shape_mismatch, kName, "bias is {}, needs [{}]", detail::describe(in[2]),
         in[1].shape(0));
  }
  Shape out = x.shape();
  out.back() = in[1].shape(0);
  return {out, x.dtype()};
}

std::vector<array> QuantizedLinear::lower(std::span<const array> in) const {
  // In x's own dtype the weights would be rounded.
  const array w = dequantize(in[1], type, in_features, float32);
  const array y = linear(in[0], w, in.size() == 3 ? std::optional(in[2]) : std::nullopt);
  return {astype(y, in[0].dtype())};
}

TensorSpec QuantizedEmbedding::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  if (!is_integer(in[0].dtype())) {
    fail(ErrorCode::unsupported_dtype, kName, "ids must be integers, got {}",
         detail::describe(in[0]));
  }
  check_packed(kName, in[1], type, dims);
  Shape out = in[0].shape();
  out.push_back(dims);
  return {out, dtype};
}

std::vector<array> QuantizedEmbedding::lower(std::span<const array> in) const {
  return {dequantize(take(in[1], in[0], 0), type, dims, dtype)};
}

TensorSpec Dequantize::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  check_packed(kName, in[0], type, columns);
  Shape out = in[0].shape();
  out.back() = columns;
  return {out, dtype};
}

array quantized_linear(const array& x, const array& packed, QuantType type,
                       const std::optional<array>& bias, QuantCompute compute) {
  detail::check_rank("quantized_linear", x, 1);
  const QuantizedLinear op{type, x.shape(-1), compute};
  if (bias) return apply(op, {x, packed, *bias});
  return apply(op, {x, packed});
}

array quantized_embedding(const array& ids, const array& packed, QuantType type, std::int64_t dims,
                          Dtype dtype) {
  return apply(QuantizedEmbedding{type, dims, dtype}, {ids, packed});
}

array dequantize(const array& packed, QuantType type, std::int64_t columns, Dtype dtype) {
  return apply(Dequantize{type, columns, dtype}, {packed});
}

}  // namespace tessera

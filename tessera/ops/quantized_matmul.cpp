#include "tessera/ops/quantized_matmul.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/quantize.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

Shape batch_of(const array& a) {
  return Shape(a.shape().begin(), a.shape().end() - 2);
}

// [..., R, C] as [B, R, C].
array flat_batch(const array& a) {
  return reshape(a, {num_elements(batch_of(a)), a.shape(-2), a.shape(-1)});
}

Dtype product_dtype(const char* op, const array& x, const array& scales,
                    const QuantGroups& groups) {
  const Dtype dtype =
      groups.has_integer_codes() ? promote_types(x.dtype(), scales.dtype()) : x.dtype();
  if (dtype != float32 && dtype != float16 && dtype != bfloat16) {
    fail(ErrorCode::unsupported_dtype, op,
         "computes in float32, float16 and bfloat16, but x is {} and the scales {}",
         detail::describe(x), detail::describe(scales));
  }
  return dtype;
}

// The product's spec without batch axes.   quantized: the weight's arrays
TensorSpec product_spec(const char* op, const array& x, std::span<const array> quantized,
                        const QuantGroups& groups, bool transpose) {
  const Shape w = detail::quantized_shape(op, quantized, groups);
  detail::check_rank(op, x, 1);
  const ShapeElem inner = transpose ? w.back() : w.end()[-2];
  const ShapeElem outer = transpose ? w.end()[-2] : w.back();
  if (x.shape(-1) != inner) {
    fail(ErrorCode::shape_mismatch, op, "x {} has rows of {}, the weight {}{} takes {}",
         to_string(x.shape()), x.shape(-1), to_string(w), transpose ? " transposed" : "", inner);
  }
  Shape out{outer};
  if (x.ndim() > 1) out = {x.shape(-2), outer};
  return {out, product_dtype(op, x, quantized[1], groups)};
}

TensorSpec gathered(const char* op, const array& lhs, const array& rhs, const TensorSpec& product) {
  for (const array& index : {lhs, rhs}) {
    if (!is_integer(index.dtype())) {
      fail(ErrorCode::unsupported_dtype, op, "indices must be integers, got {}",
           detail::describe(index));
    }
  }
  if (lhs.shape() != rhs.shape()) {
    fail(ErrorCode::shape_mismatch, op, "indices differ in shape, {} and {}", detail::describe(lhs),
         detail::describe(rhs));
  }
  Shape shape = lhs.shape();
  for (ShapeElem size : product.shape) shape.push_back(size);
  return {shape, product.dtype};
}

// Both indices, broadcast together; one left out takes each matrix in turn.
std::pair<array, array> both_indices(const char* op, const std::optional<array>& lhs,
                                     const std::optional<array>& rhs, const array& a,
                                     const array& b) {
  const auto or_each = [op](const std::optional<array>& index, const array& matrices) {
    if (index) {
      if (!is_integer(index->dtype())) {
        fail(ErrorCode::unsupported_dtype, op, "indices must be integers, got {}",
             detail::describe(*index));
      }
      return *index;
    }
    const Shape batch = batch_of(matrices);
    const array each = apply(Arange{0, 1, num_elements(batch), int64}, {}, matrices.backend());
    return reshape(each, batch);
  };
  const array l = or_each(lhs, a);
  const array r = or_each(rhs, b);
  const Shape shape = broadcast_shapes(l.shape(), r.shape(), op);
  return {broadcast_to(l, shape), broadcast_to(r, shape)};
}

// The weight's arrays with float32 scales, expanded to float32.
array expanded(std::span<const array> quantized, const QuantGroups& groups) {
  std::vector<array> in(quantized.begin(), quantized.end());
  if (groups.has_integer_codes()) {
    for (array& a : std::span(in).subspan(1)) a = astype(a, float32);
  }
  return apply(DequantizeGroups{groups, float32}, std::move(in));
}

std::vector<array> lowered_product(const array& x, std::span<const array> quantized,
                                   const QuantGroups& groups, bool transpose, Dtype dtype) {
  const array w = expanded(quantized, groups);
  return {astype(matmul(astype(x, float32), transpose ? swapaxes(w, -1, -2) : w), dtype)};
}

}  // namespace

TensorSpec QuantizedMatmul::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 3, 4);
  TensorSpec spec = product_spec(kName, in[0], in.subspan(1), groups, transpose);
  Shape out = in[0].ndim() > 2 ? batch_of(in[0]) : Shape{};
  out = broadcast_shapes(out, batch_of(in[1]), kName);
  for (ShapeElem size : spec.shape) out.push_back(size);
  return {out, spec.dtype};
}

std::vector<array> QuantizedMatmul::lower(std::span<const array> in) const {
  return lowered_product(in[0], in.subspan(1), groups, transpose, infer(in).dtype);
}

TensorSpec GatherQmm::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 5, 6);
  detail::check_rank(kName, in[0], 2);
  return gathered(kName, in[in.size() - 2], in[in.size() - 1],
                  product_spec(kName, in[0], in.subspan(1, in.size() - 3), groups, transpose));
}

std::vector<array> GatherQmm::lower(std::span<const array> in) const {
  const array& lhs = in[in.size() - 2];
  const array& rhs = in[in.size() - 1];
  std::vector<array> quantized;
  for (const array& a : in.subspan(1, in.size() - 3)) {
    quantized.push_back(take(flat_batch(a), rhs, 0));
  }
  return lowered_product(take(flat_batch(in[0]), lhs, 0), quantized, groups, transpose,
                         infer(in).dtype);
}

TensorSpec GatherMm::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 4, 4);
  // One product's rules are matmul's.
  const array& a = in[0];
  const array& b = in[1];
  for (const array& m : {a, b}) {
    detail::check_floating(kName, m);
    detail::check_rank(kName, m, 2);
  }
  if (a.dtype() != b.dtype()) {
    fail(ErrorCode::unsupported_dtype, kName, "dtypes differ: {} and {}", detail::describe(a),
         detail::describe(b));
  }
  if (a.shape(-1) != b.shape(-2)) {
    fail(ErrorCode::shape_mismatch, kName, "inner sizes differ, a {} x b {} ({} vs {})",
         to_string(a.shape()), to_string(b.shape()), a.shape(-1), b.shape(-2));
  }
  return gathered(kName, in[2], in[3], {{a.shape(-2), b.shape(-1)}, a.dtype()});
}

std::vector<array> GatherMm::lower(std::span<const array> in) const {
  return {matmul(take(flat_batch(in[0]), in[2], 0), take(flat_batch(in[1]), in[3], 0))};
}

array quantized_matmul(const array& x, const array& w, const array& scales,
                       const std::optional<array>& biases, bool transpose,
                       std::optional<int> group_size, std::optional<int> bits,
                       const std::string& mode) {
  constexpr const char* kOp = QuantizedMatmul::kName;
  const QuantGroups groups = quant_groups(kOp, mode, group_size, bits);
  std::vector<array> in = detail::quantized_inputs(kOp, w, scales, biases, groups);
  in.insert(in.begin(), x);
  return apply(QuantizedMatmul{groups, transpose}, std::move(in));
}

array gather_qmm(const array& x, const array& w, const array& scales,
                 const std::optional<array>& biases, const std::optional<array>& lhs_indices,
                 const std::optional<array>& rhs_indices, bool transpose,
                 std::optional<int> group_size, std::optional<int> bits, const std::string& mode,
                 bool /*sorted_indices*/) {
  if (!lhs_indices && !rhs_indices) {
    return quantized_matmul(x, w, scales, biases, transpose, group_size, bits, mode);
  }
  constexpr const char* kOp = GatherQmm::kName;
  const QuantGroups groups = quant_groups(kOp, mode, group_size, bits);
  detail::check_rank(kOp, x, 2);
  detail::check_rank(kOp, w, 2);
  const auto [lhs, rhs] = both_indices(kOp, lhs_indices, rhs_indices, x, w);
  std::vector<array> in = detail::quantized_inputs(kOp, w, scales, biases, groups);
  in.insert(in.begin(), x);
  in.insert(in.end(), {lhs, rhs});
  return apply(GatherQmm{groups, transpose}, std::move(in));
}

array gather_mm(const array& a, const array& b, const std::optional<array>& lhs_indices,
                const std::optional<array>& rhs_indices, bool /*sorted_indices*/) {
  if (!lhs_indices && !rhs_indices) return matmul(a, b);
  constexpr const char* kOp = GatherMm::kName;
  detail::check_rank(kOp, a, 1);
  detail::check_rank(kOp, b, 1);
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  const array left = astype(a.ndim() == 1 ? expand_dims(a, 0) : a, dtype);
  const array right = astype(b.ndim() == 1 ? expand_dims(b, 1) : b, dtype);
  const auto [lhs, rhs] = both_indices(kOp, lhs_indices, rhs_indices, left, right);
  array out = apply(GatherMm{}, {left, right, lhs, rhs});
  if (b.ndim() == 1) out = squeeze(out, -1);
  if (a.ndim() == 1) out = squeeze(out, b.ndim() == 1 ? -1 : -2);
  return out;
}

array quantized_linear(const array& x, const array& w, const array& scales,
                       const std::optional<array>& biases, const QuantGroups& groups,
                       const std::optional<array>& bias) {
  std::vector<array> in = detail::quantized_inputs("quantized_linear", w, scales, biases, groups);
  in.insert(in.begin(), x);
  const array y = apply(QuantizedMatmul{groups, true}, std::move(in));
  return bias ? y + *bias : y;
}

array quantized_embedding(const array& ids, const array& w, const array& scales,
                          const std::optional<array>& biases, const QuantGroups& groups,
                          Dtype dtype) {
  constexpr const char* kOp = "quantized_embedding";
  std::vector<array> in = detail::quantized_inputs(kOp, w, scales, biases, groups);
  if (w.ndim() != 2) {
    fail(ErrorCode::shape_mismatch, kOp, "the table must be [V, words], got {}",
         detail::describe(w));
  }
  static_cast<void>(detail::quantized_shape(kOp, in, groups));
  for (array& a : in) a = take(a, ids, 0);
  if (groups.has_integer_codes()) {
    for (array& a : std::span(in).subspan(1)) a = astype(a, promote_types(a.dtype(), dtype));
  }
  if (ids.ndim() > 0) return apply(DequantizeGroups{groups, dtype}, std::move(in));
  // A single id gives a vector, which has to be a matrix to be expanded.
  for (array& a : in) a = expand_dims(a, 0);
  return squeeze(apply(DequantizeGroups{groups, dtype}, std::move(in)), 0);
}

}  // namespace tessera

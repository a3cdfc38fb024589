#include "tessera/ops/quantize.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace detail {

namespace {
bool is_vector_float(Dtype dtype) {
  return dtype == float32 || dtype == float16 || dtype == bfloat16;
}
}  // namespace

Shape quantized_shape(const char* op, std::span<const array> quantized, const QuantGroups& groups) {
  check_groups(op, groups);
  const std::size_t count = groups.has_biases() ? 3 : 2;
  if (quantized.size() != count) {
    fail(ErrorCode::invalid_argument, op, "{} weights are {} arrays, got {}",
         to_string(groups.mode), count, quantized.size());
  }
  const array& codes = quantized[0];
  const array& scales = quantized[1];
  if (codes.dtype() != uint32) {
    fail(ErrorCode::unsupported_dtype, op, "the weight's codes are uint32, got {}",
         describe(codes));
  }
  const bool right_scales =
      groups.has_integer_codes() ? is_vector_float(scales.dtype()) : scales.dtype() == uint8;
  if (!right_scales) {
    fail(ErrorCode::unsupported_dtype, op, "{} scales are {}, got {}", to_string(groups.mode),
         groups.has_integer_codes() ? "float32, float16 or bfloat16" : "uint8", describe(scales));
  }
  if (codes.ndim() < 2) {
    fail(ErrorCode::shape_mismatch, op, "the weight must be a matrix [..., N, words], got {}",
         describe(codes));
  }
  if (groups.has_biases() &&
      (quantized[2].shape() != scales.shape() || quantized[2].dtype() != scales.dtype())) {
    fail(ErrorCode::shape_mismatch, op, "scales are {} and biases {}, which must agree",
         describe(scales), describe(quantized[2]));
  }
  Shape expanded = codes.shape();
  bool fits = scales.ndim() == codes.ndim() &&
              !__builtin_mul_overflow(scales.ndim() == 0 ? 0 : scales.shape(-1),
                                      ShapeElem{groups.group_size}, &expanded.back());
  for (std::size_t i = 0; fits && i + 1 < codes.ndim(); ++i) {
    fits = codes.shape()[i] == scales.shape()[i];
  }
  fits = fits && expanded.back() % 32 * groups.bits % 32 == 0 &&
         groups.words(expanded.back()) == codes.shape(-1);
  if (!fits) {
    fail(ErrorCode::shape_mismatch, op,
         "codes {} do not go with scales {} at {} bits and groups of {}", to_string(codes.shape()),
         to_string(scales.shape()), groups.bits, groups.group_size);
  }
  return expanded;
}

std::vector<array> quantized_inputs(const char* op, const array& w, const array& scales,
                                    const std::optional<array>& biases, const QuantGroups& groups) {
  if (groups.has_biases() != biases.has_value()) {
    fail(ErrorCode::invalid_argument, op, "{} weights {} biases", to_string(groups.mode),
         groups.has_biases() ? "need" : "have no");
  }
  if (!biases) return {w, scales};
  const Dtype dtype = promote_types(scales.dtype(), biases->dtype());
  return {w, astype(scales, dtype), astype(*biases, dtype)};
}

}  // namespace detail

TensorSpec Quantize::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  check_groups(kName, groups);
  const array& w = in[0];
  if (!detail::is_vector_float(w.dtype())) {
    fail(ErrorCode::unsupported_dtype, kName,
         "quantises float32, float16 and bfloat16, got {}; cast with astype first",
         detail::describe(w));
  }
  if (w.ndim() < 2) {
    fail(ErrorCode::shape_mismatch, kName, "needs a matrix [..., N, K], got {}",
         detail::describe(w));
  }
  const ShapeElem k = w.shape(-1);
  if (k % groups.group_size != 0 || k % 32 * groups.bits % 32 != 0) {
    fail(ErrorCode::shape_mismatch, kName,
         "rows of {} are not whole groups of {} that fill words of 32 bits at {} bits: {}", k,
         groups.group_size, groups.bits, detail::describe(w));
  }
  if (part == QuantPart::biases && !groups.has_biases()) {
    fail(ErrorCode::invalid_argument, kName, "{} has no biases", to_string(groups.mode));
  }
  Shape shape = w.shape();
  shape.back() = part == QuantPart::codes ? groups.words(k) : k / groups.group_size;
  if (part == QuantPart::codes) return {shape, uint32};
  return {shape, groups.has_integer_codes() ? w.dtype() : uint8};
}

TensorSpec DequantizeGroups::infer(std::span<const array> in) const {
  const Shape shape = detail::quantized_shape(kName, in, groups);
  if (!is_floating(dtype)) {
    fail(ErrorCode::unsupported_dtype, kName, "expands to floats, not {}", to_string(dtype));
  }
  return {shape, dtype};
}

TensorSpec ToFp8::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  detail::check_floating(kName, in[0]);
  return {in[0].shape(), uint8};
}

TensorSpec FromFp8::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  if (in[0].dtype() != uint8 || !is_floating(dtype)) {
    fail(ErrorCode::unsupported_dtype, kName, "reads uint8 into floats, not {} into {}",
         detail::describe(in[0]), to_string(dtype));
  }
  return {in[0].shape(), dtype};
}

namespace {

// With a global scale g, nvfp4's largest value, 448 * 6, stands for g.
constexpr float kNvfp4Most = 448.0f * 6.0f;
constexpr std::uint8_t kE4m3One = 0x38;

void check_global_scale(const char* op, const QuantGroups& groups, const array& scale) {
  if (groups.mode != QuantMode::nvfp4) {
    fail(ErrorCode::invalid_argument, op, "only nvfp4 has a global scale, not {}",
         to_string(groups.mode));
  }
  if (scale.dtype() != float32 || scale.size() != 1) {
    fail(scale.dtype() == float32 ? ErrorCode::shape_mismatch : ErrorCode::unsupported_dtype, op,
         "the global scale must be one float32, got {}", detail::describe(scale));
  }
}

// code * (scale * (g / most)), rounded in this order as MLX does.
array expanded_under(const array& global_scale, const array& w, const array& scales,
                     const QuantGroups& groups) {
  const array one = detail::scalar(kE4m3One, uint8, scales.backend());
  const array codes = apply(DequantizeGroups{groups, float32}, {w, full(scales.shape(), one)});
  const array scale = from_fp8(scales, float32) * (reshape(global_scale, {}) / kNvfp4Most);
  Shape grouped = scales.shape();
  grouped.push_back(groups.group_size);
  return codes * reshape(broadcast_to(expand_dims(scale, -1), grouped), codes.shape());
}

}  // namespace

std::vector<array> quantize(const array& matrix, std::optional<int> group_size,
                            std::optional<int> bits, const std::string& mode,
                            const std::optional<array>& global_scale) {
  const QuantGroups groups = quant_groups("quantize", mode, group_size, bits);
  array w = matrix;
  if (global_scale) {
    check_global_scale("quantize", groups, *global_scale);
    detail::check_floating("quantize", w);
    w = astype(w, float32) * (kNvfp4Most / reshape(*global_scale, {}));
  }
  std::vector<array> out{apply(Quantize{groups, QuantPart::codes}, {w}),
                         apply(Quantize{groups, QuantPart::scales}, {w})};
  if (groups.has_biases()) out.push_back(apply(Quantize{groups, QuantPart::biases}, {w}));
  return out;
}

array dequantize(const array& w, const array& scales, const std::optional<array>& biases,
                 std::optional<int> group_size, std::optional<int> bits, const std::string& mode,
                 const std::optional<array>& global_scale, std::optional<Dtype> dtype) {
  const QuantGroups groups = quant_groups("dequantize", mode, group_size, bits);
  std::vector<array> in = detail::quantized_inputs("dequantize", w, scales, biases, groups);
  if (global_scale) {
    check_global_scale("dequantize", groups, *global_scale);
    return astype(expanded_under(*global_scale, w, scales, groups), dtype.value_or(float32));
  }
  const Dtype natural = groups.has_integer_codes() ? in[1].dtype() : bfloat16;
  return apply(DequantizeGroups{groups, dtype.value_or(natural)}, std::move(in));
}

array to_fp8(const array& x) {
  return apply(ToFp8{}, {x});
}

array from_fp8(const array& x, Dtype dtype) {
  return apply(FromFp8{dtype}, {x});
}

}  // namespace tessera

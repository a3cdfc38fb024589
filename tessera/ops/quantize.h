// Quantising a matrix in groups (core/quant_groups.h) and expanding it again; float8 conversion.
//
//   std::vector<array> q = quantize(w, 64, 4);             // codes, scales, biases
//   array again = dequantize(q[0], q[1], q[2], 64, 4);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/core/quant_groups.h"
#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Quantize {
  QuantGroups groups;
  QuantPart part = QuantPart::codes;
  static constexpr const char* kName = "quantize";
  static constexpr const char* kDoc =
      "One of the arrays that w is quantised to. affine: "
      "the end of the group's range that is farther from 0 is kept exactly and 0 gets a code (1 "
      "bit: "
      "both ends are kept), in float32, MLX's rule. symmetric: scale = e / -2^(bits - 1), e the "
      "group's first element of largest magnitude, rounded to w's dtype before codes are taken; "
      "code "
      "= w / scale + 2^(bits - 1), nearest even. fp modes: MLX's rules in w's dtype, but a group "
      "of "
      "mxfp4 or mxfp8 with NaN or infinity is NaN as a whole (scale 255), exponents stop at -127, "
      "and nvfp4 saturates at 6 * 448; MLX's results are arbitrary there. Elsewhere NaN is left "
      "out "
      "of its group's range and gets code 0. A group of zeros is exact. Required, because the fp "
      "modes round a logarithm in w's dtype, which has no exact lowering.";
  static constexpr const char* kShapes =
      "w [..., N, K] -> codes [..., N, K * bits / 32], scales and biases [..., N, K / group_size]";
  static constexpr const char* kDtypes =
      "float32, float16, bfloat16 -> codes uint32; scales and biases dtype of w, scales of the fp "
      "modes uint8";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Quantize::groups>("how w is quantised (core/quant_groups.h)"),
                 attribute<&Quantize::part>("which of the arrays"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct DequantizeGroups {
  QuantGroups groups;
  Dtype dtype = float32;
  static constexpr const char* kName = "dequantize_groups";
  static constexpr const char* kDoc =
      "The matrix that quantize made. affine and symmetric: scale * code rounded to the scales' "
      "dtype, then plus the bias rounded again, then cast; fp modes: code and scale in dtype, "
      "multiplied.";
  static constexpr const char* kShapes =
      "codes [..., N, words], scales and, if affine, biases [..., N, K / group_size] -> [..., N, "
      "K]";
  static constexpr const char* kDtypes =
      "codes uint32, scales floating (uint8 in the fp modes) -> dtype";
  static constexpr auto kAttributes =
      std::tuple(attribute<&DequantizeGroups::groups>("how w is quantised (core/quant_groups.h)"),
                 attribute<&DequantizeGroups::dtype>("of the result, floating"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct ToFp8 {
  static constexpr const char* kName = "to_fp8";
  static constexpr const char* kDoc =
      "E4M3: nearest even, saturating at 448. NaN gives 448 (0x7e), as in MLX, whatever its sign.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "floating -> uint8";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
};

struct FromFp8 {
  Dtype dtype = bfloat16;
  static constexpr const char* kName = "from_fp8";
  static constexpr const char* kDoc = "E4M3 as floats, exactly.";
  static constexpr const char* kShapes = "x [...] -> [...]";
  static constexpr const char* kDtypes = "uint8 -> dtype";
  static constexpr auto kAttributes =
      std::tuple(attribute<&FromFp8::dtype>("of the result, floating"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  static constexpr bool kElementwise = true;
};

/// w             [..., N, K] float32 | float16 | bfloat16, K a multiple of group_size
/// mode          "affine" (MLX's default: 4 bits, groups of 64), "symmetric", "mxfp4", "mxfp8" or
///               "nvfp4"
/// global_scale  for nvfp4 alone: one float32, the largest magnitude to be held. The scales are
///               then relative to global_scale / (448 * 6); all in float32
/// returns       codes, scales and, if affine, biases, as core/quant_groups.h lays them out. Scales
///               and biases have w's dtype, those of the fp modes are uint8.
/// MLX has no symmetric mode and no groups of 16 outside nvfp4; the other results are bit-equal,
/// but for half types with a global scale, where MLX rounds between steps.
/// errors        shape_mismatch, unsupported_dtype, invalid_argument
std::vector<array> quantize(const array& w, std::optional<int> group_size = std::nullopt,
                            std::optional<int> bits = std::nullopt,
                            const std::string& mode = "affine",
                            const std::optional<array>& global_scale = std::nullopt);

/// dtype: nothing takes that of scales and biases, bfloat16 in the fp modes (float32 with a
/// global_scale).   errors  shape_mismatch, unsupported_dtype, invalid_argument
array dequantize(const array& w, const array& scales,
                 const std::optional<array>& biases = std::nullopt,
                 std::optional<int> group_size = std::nullopt,
                 std::optional<int> bits = std::nullopt, const std::string& mode = "affine",
                 const std::optional<array>& global_scale = std::nullopt,
                 std::optional<Dtype> dtype = std::nullopt);

/// errors  unsupported_dtype unless x is floating
array to_fp8(const array& x);
/// errors  unsupported_dtype unless x is uint8 and dtype is floating
array from_fp8(const array& x, Dtype dtype = bfloat16);

namespace detail {

/// What in[1..] (codes, scales and, if affine, biases) hold, as a matrix [..., N, K].
/// errors  shape_mismatch, unsupported_dtype, invalid_argument
Shape quantized_shape(const char* op, std::span<const array> quantized, const QuantGroups& groups);

/// Codes, scales and biases as an op takes them: biases must be there exactly if the mode has some,
/// and get one dtype with the scales.   errors  invalid_argument
std::vector<array> quantized_inputs(const char* op, const array& w, const array& scales,
                                    const std::optional<array>& biases, const QuantGroups& groups);

}  // namespace detail
}  // namespace tessera

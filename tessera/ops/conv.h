// Convolutions, channels last.
//
//   array y = conv2d(image, kernel, {2, 2}, {1, 1});   // [N, H, W, C] * [O, kH, kW, C]
#pragma once

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// Every Shape has one entry per spatial axis (1 to 3 of them).
struct ConvGeneral {
  Shape stride;
  Shape padding_low, padding_high;
  Shape kernel_dilation;
  Shape input_dilation;
  std::int64_t groups = 1;
  bool flip = false;
  static constexpr const char* kName = "conv_general";
  static constexpr const char* kDoc =
      "Each output is the sum over kernel and channels of its group of x times w. Negative padding "
      "crops the dilated input (MLX crops before it dilates). C = 0 gives 0.";
  static constexpr const char* kShapes =
      "x [N, space..., C], w [O, kernel..., C / groups] -> [N, out..., O], out = (dilated and "
      "padded input - dilated kernel) / stride + 1";
  static constexpr const char* kDtypes = "floating, promoted together; half types sum in float32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&ConvGeneral::stride>("one per spatial axis (1 to 3), at least 1"),
                 attribute<&ConvGeneral::padding_low>("zeros before; negative crops"),
                 attribute<&ConvGeneral::padding_high>("zeros after; negative crops"),
                 attribute<&ConvGeneral::kernel_dilation>("distance of the kernel's elements"),
                 attribute<&ConvGeneral::input_dilation>(
                     "distance of the input's elements, zeros between them"),
                 attribute<&ConvGeneral::groups>("of channels; divides C and O"),
                 attribute<&ConvGeneral::flip>(
                     "the kernel runs backwards along every axis (a true convolution)"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// An empty list means 1 (0 for padding) and a single entry counts for every axis.
/// input   [N, spatial..., C]  float16 | bfloat16 | float32 | float64
/// weight  [O, kernel..., C / groups]
/// returns [N, out..., O]
/// errors  shape_mismatch naming both shapes; unsupported_dtype; invalid_argument
array conv_general(const array& input, const array& weight, const std::vector<int>& stride,
                   const std::vector<int>& padding_lo, const std::vector<int>& padding_hi,
                   const std::vector<int>& kernel_dilation, const std::vector<int>& input_dilation,
                   int groups = 1, bool flip = false);
array conv_general(const array& input, const array& weight, const std::vector<int>& stride = {},
                   const std::vector<int>& padding = {},
                   const std::vector<int>& kernel_dilation = {},
                   const std::vector<int>& input_dilation = {}, int groups = 1, bool flip = false);

/// input [N, L, C], weight [O, K, C / groups]
array conv1d(const array& input, const array& weight, int stride = 1, int padding = 0,
             int dilation = 1, int groups = 1);
/// input [N, H, W, C], weight [O, kH, kW, C / groups]
array conv2d(const array& input, const array& weight, const std::pair<int, int>& stride = {1, 1},
             const std::pair<int, int>& padding = {0, 0},
             const std::pair<int, int>& dilation = {1, 1}, int groups = 1);
/// input [N, D, H, W, C], weight [O, kD, kH, kW, C / groups]
array conv3d(const array& input, const array& weight,
             const std::tuple<int, int, int>& stride = {1, 1, 1},
             const std::tuple<int, int, int>& padding = {0, 0, 0},
             const std::tuple<int, int, int>& dilation = {1, 1, 1}, int groups = 1);

/// The transposes: stride spreads the input, padding crops the result, output_padding widens it at
/// the end. Weights have the same layout as above, [O, kernel..., C / groups].
array conv_transpose1d(const array& input, const array& weight, int stride = 1, int padding = 0,
                       int dilation = 1, int output_padding = 0, int groups = 1);
array conv_transpose2d(const array& input, const array& weight,
                       const std::pair<int, int>& stride = {1, 1},
                       const std::pair<int, int>& padding = {0, 0},
                       const std::pair<int, int>& dilation = {1, 1},
                       const std::pair<int, int>& output_padding = {0, 0}, int groups = 1);
array conv_transpose3d(const array& input, const array& weight,
                       const std::tuple<int, int, int>& stride = {1, 1, 1},
                       const std::tuple<int, int, int>& padding = {0, 0, 0},
                       const std::tuple<int, int, int>& dilation = {1, 1, 1},
                       const std::tuple<int, int, int>& output_padding = {0, 0, 0}, int groups = 1);

}  // namespace tessera

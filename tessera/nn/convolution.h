// Convolution layers and their transposes, channels last.
#pragma once

#include <optional>

#include "tessera/nn/module.h"
#include "tessera/nn/spatial.h"

namespace tessera::nn {

template <int kAxes>
struct ConvOptions {
  Spatial<kAxes> stride = 1;
  Spatial<kAxes> padding = 0;  ///< zeros on both sides
  Spatial<kAxes> dilation = 1;
  int groups = 1;
  bool bias = true;
};

template <int kAxes>
struct ConvTransposeOptions {
  Spatial<kAxes> stride = 1;
  Spatial<kAxes> padding = 0;  ///< what the result loses on both sides
  Spatial<kAxes> dilation = 1;
  Spatial<kAxes> output_padding = 0;  ///< what it gains at the end
  bool bias = true;
};

/// x [N, spatial..., in_channels] -> [N, out..., out_channels].
/// Parameters: weight [out_channels, kernel..., in_channels / groups], uniform within
/// 1 / sqrt(in_channels / groups * kernel elements) of 0; bias [out_channels], zeros.
template <int kAxes>
class Conv : public Module {
 public:
  /// errors  invalid_argument unless groups divides in_channels
  Conv(int in_channels, int out_channels, Spatial<kAxes> kernel_size,
       const ConvOptions<kAxes>& options = {});
  /// errors  shape_mismatch, unsupported_dtype, invalid_argument (conv_general, ops/conv.h)
  array operator()(const array& x) const;
  void visit(Members& members) override;

 private:
  ConvOptions<kAxes> options_;
  array weight_;
  std::optional<array> bias_;
};
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;

/// The transposed convolution; parameters as for Conv with one group.
template <int kAxes>
class ConvTranspose : public Module {
 public:
  ConvTranspose(int in_channels, int out_channels, Spatial<kAxes> kernel_size,
                const ConvTransposeOptions<kAxes>& options = {});
  array operator()(const array& x) const;
  void visit(Members& members) override;

 private:
  ConvTransposeOptions<kAxes> options_;
  array weight_;
  std::optional<array> bias_;
};
using ConvTranspose1d = ConvTranspose<1>;
using ConvTranspose2d = ConvTranspose<2>;
using ConvTranspose3d = ConvTranspose<3>;

}  // namespace tessera::nn

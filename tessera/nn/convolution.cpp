#include "tessera/nn/convolution.h"

#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/conv.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/random.h"

namespace tessera::nn {

namespace {

template <int kAxes>
array initial_weight(const char* where, int in_channels, int out_channels,
                     const Spatial<kAxes>& kernel, int groups) {
  if (groups < 1 || in_channels < 1 || in_channels % groups != 0) {
    fail(ErrorCode::invalid_argument, where, "{} input channels do not form {} groups", in_channels,
         groups);
  }
  Shape shape{out_channels};
  double fan_in = in_channels / groups;
  for (int i = 0; i < kAxes; ++i) {
    shape.push_back(kernel[i]);
    fan_in *= kernel[i];
  }
  shape.push_back(in_channels / groups);
  const double bound = std::sqrt(1 / fan_in);
  return random::uniform(-bound, bound, shape);
}

std::optional<array> initial_bias(bool wanted, int out_channels) {
  if (!wanted) return std::nullopt;
  return zeros({out_channels});
}

array with_bias(const array& y, const std::optional<array>& bias) {
  return bias ? y + *bias : y;
}

}  // namespace

template <int kAxes>
Conv<kAxes>::Conv(int in_channels, int out_channels, Spatial<kAxes> kernel_size,
                  const ConvOptions<kAxes>& options)
    : options_(options),
      weight_(initial_weight("nn::Conv", in_channels, out_channels, kernel_size, options.groups)),
      bias_(initial_bias(options.bias, out_channels)) {}

template <int kAxes>
array Conv<kAxes>::operator()(const array& x) const {
  const array y = conv_general(x, weight_, options_.stride.list(), options_.padding.list(),
                               options_.dilation.list(), {}, options_.groups);
  return with_bias(y, bias_);
}

template <int kAxes>
void Conv<kAxes>::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

template <int kAxes>
ConvTranspose<kAxes>::ConvTranspose(int in_channels, int out_channels, Spatial<kAxes> kernel_size,
                                    const ConvTransposeOptions<kAxes>& options)
    : options_(options),
      weight_(initial_weight("nn::ConvTranspose", in_channels, out_channels, kernel_size, 1)),
      bias_(initial_bias(options.bias, out_channels)) {}

template <int kAxes>
array ConvTranspose<kAxes>::operator()(const array& x) const {
  const auto& [stride, padding, dilation, output_padding, bias] = options_;
  if constexpr (kAxes == 1) {
    return with_bias(
        conv_transpose1d(x, weight_, stride[0], padding[0], dilation[0], output_padding[0]), bias_);
  } else if constexpr (kAxes == 2) {
    const auto pair = [](const Spatial<2>& s) { return std::pair(s[0], s[1]); };
    return with_bias(conv_transpose2d(x, weight_, pair(stride), pair(padding), pair(dilation),
                                      pair(output_padding)),
                     bias_);
  } else {
    const auto triple = [](const Spatial<3>& s) { return std::tuple(s[0], s[1], s[2]); };
    return with_bias(conv_transpose3d(x, weight_, triple(stride), triple(padding), triple(dilation),
                                      triple(output_padding)),
                     bias_);
  }
}

template <int kAxes>
void ConvTranspose<kAxes>::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

template class Conv<1>;
template class Conv<2>;
template class Conv<3>;
template class ConvTranspose<1>;
template class ConvTranspose<2>;
template class ConvTranspose<3>;

}  // namespace tessera::nn

// Convolutions, Fourier transforms and random bits.
#include <mlx/fft.h>
#include <mlx/random.h>

#include <algorithm>

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/conv.h"
#include "tessera/ops/fft.h"
#include "tessera/ops/random.h"

namespace tessera::mlx_backend {

namespace {

// Where MLX computes what the contract says: not grouped in three dimensions, not cropped, not over
// nothing.
bool takes_conv(const ConvGeneral& op, std::span<const TensorPtr> in, bool) {
  const auto negative = [](ShapeElem p) { return p < 0; };
  const bool crops = std::any_of(op.padding_low.begin(), op.padding_low.end(), negative) ||
                     std::any_of(op.padding_high.begin(), op.padding_high.end(), negative);
  return !crops && (op.groups == 1 || op.stride.size() < 3) && op.stride.size() <= 3 &&
         num_elements(in[0]->shape()) != 0 && num_elements(in[1]->shape()) != 0;
}

mx::array conv(Call& call, const ConvGeneral& op) {
  const mx::array x = call.wide_on_cpu(call.cast(call.in[0], call.out_dtype()));
  const mx::array w = call.wide_on_cpu(call.cast(call.in[1], call.out_dtype()));
  return call.result(mx::conv_general(x, w, to_ints(op.stride), to_ints(op.padding_low),
                                      to_ints(op.padding_high), to_ints(op.kernel_dilation),
                                      to_ints(op.input_dilation), static_cast<int>(op.groups),
                                      op.flip, call.stream));
}

mx::array fft(Call& call, const Fft& op) {
  const mx::Shape n{static_cast<int>(op.n)};
  const std::vector<int> axes{op.axis};
  constexpr auto kNorm = mx::fft::FFTNorm::Backward;
  float scale = op.scale;
  const auto transform = [&] {
    switch (op.kind) {
      case Fft::Kind::forward: return mx::fft::fftn(call.in[0], n, axes, kNorm, call.stream);
      case Fft::Kind::real_forward: return mx::fft::rfftn(call.in[0], n, axes, kNorm, call.stream);
      case Fft::Kind::inverse:
        scale *= static_cast<float>(op.n);  // MLX's inverses divide by n
        return mx::fft::ifftn(call.in[0], n, axes, kNorm, call.stream);
      default:
        scale *= static_cast<float>(op.n);
        return mx::fft::irfftn(call.in[0], n, axes, kNorm, call.stream);
    }
  };
  const mx::array out = transform();
  if (scale == 1.0f) return out;
  return call.result(mx::multiply(out, mx::array(scale), call.stream));
}

mx::array random_bits(Call& call, const RandomBits& op) {
  return mx::random::bits(to_mlx(op.shape), op.width, call.in[0], call.stream);
}

}  // namespace

void add_transforms(KernelTable& table) {
  table.add_if<ConvGeneral, conv, takes_conv>();
  table.add<Fft, fft>();
  table.add<RandomBits, random_bits>();
}

}  // namespace tessera::mlx_backend

// Pooling layers over windows of the spatial axes, channels last (ops/pool.h).
#pragma once

#include <optional>

#include "tessera/nn/module.h"
#include "tessera/nn/spatial.h"
#include "tessera/ops/pool.h"

namespace tessera::nn {

/// x [N, spatial..., C] -> [N, windows..., C].
/// stride: none takes kernel_size.   padding: on both sides, -inf for the maximum, zeros that count
/// for the mean.   errors  invalid_argument, shape_mismatch
template <int kAxes, Pool::Kind kKind>
class PoolLayer : public Stateless {
 public:
  explicit PoolLayer(Spatial<kAxes> kernel_size,
                     std::optional<Spatial<kAxes>> stride = std::nullopt,
                     Spatial<kAxes> padding = 0)
      : kernel_(kernel_size.shape()),
        stride_(stride.value_or(kernel_size).shape()),
        padding_(padding.shape()) {}

  array operator()(const array& x) const {
    constexpr bool kMax = kKind == Pool::Kind::max;
    if constexpr (kAxes == 1) {
      return (kMax ? of(max_pool1d) : of(avg_pool1d))(x, kernel_, stride_, padding_);
    } else if constexpr (kAxes == 2) {
      return (kMax ? of(max_pool2d) : of(avg_pool2d))(x, kernel_, stride_, padding_);
    } else {
      return (kMax ? of(max_pool3d) : of(avg_pool3d))(x, kernel_, stride_, padding_);
    }
  }

 private:
  using Function = array (*)(const array&, const Shape&, const Shape&, const Shape&);
  static Function of(Function f) { return f; }  // chooses the overload

  Shape kernel_, stride_, padding_;
};
using MaxPool1d = PoolLayer<1, Pool::Kind::max>;
using MaxPool2d = PoolLayer<2, Pool::Kind::max>;
using MaxPool3d = PoolLayer<3, Pool::Kind::max>;
using AvgPool1d = PoolLayer<1, Pool::Kind::mean>;
using AvgPool2d = PoolLayer<2, Pool::Kind::mean>;
using AvgPool3d = PoolLayer<3, Pool::Kind::mean>;

}  // namespace tessera::nn

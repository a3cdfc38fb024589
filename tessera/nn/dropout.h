// Dropout: zeros at random in training, whole channels at a time if wanted.
#pragma once

#include "tessera/nn/module.h"

namespace tessera::nn {

/// Each element of x kept with probability 1 - p and divided by it, else 0. Draws from the calling
/// thread's key sequence (random::seed).   source  arXiv:1207.0580
array dropout(const array& x, double p);

template <int kSpatialAxes>
class BasicDropout : public Stateless {
 public:
  /// errors  invalid_argument unless 0 <= p < 1
  explicit BasicDropout(double p = 0.5);
  /// x itself outside training.   errors  shape_mismatch for another rank
  array operator()(const array& x) const;

 private:
  double p_;
};

/// Drops elements.   x of any shape
using Dropout = BasicDropout<0>;
/// Drops channels of each sample.   x [N, H, W, C] or [H, W, C]   source  arXiv:1411.4280
using Dropout2d = BasicDropout<2>;
/// x [N, D, H, W, C] or [D, H, W, C]
using Dropout3d = BasicDropout<3>;

}  // namespace tessera::nn

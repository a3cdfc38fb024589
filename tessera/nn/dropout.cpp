#include "tessera/nn/dropout.h"

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/random.h"

namespace tessera::nn {

namespace {

array masked(const array& x, const Shape& mask_shape, double p) {
  if (p == 0) return x;
  const BackendScope scope(x.backend());
  return random::bernoulli(1 - p, mask_shape) * x * (1 / (1 - p));
}

}  // namespace

array dropout(const array& x, double p) {
  return masked(x, x.shape(), p);
}

template <int kSpatialAxes>
BasicDropout<kSpatialAxes>::BasicDropout(double p) : p_(p) {
  if (!(p >= 0 && p < 1)) {
    fail(ErrorCode::invalid_argument, "nn::Dropout", "the probability {} is not in [0, 1)", p);
  }
}

template <int kSpatialAxes>
array BasicDropout<kSpatialAxes>::operator()(const array& x) const {
  Shape mask = x.shape();
  if constexpr (kSpatialAxes > 0) {
    const std::size_t rank = kSpatialAxes + 1;  // without a batch axis
    if (x.ndim() != rank && x.ndim() != rank + 1) {
      fail(ErrorCode::shape_mismatch, "nn::Dropout", "needs {} or {} axes, got {}", rank, rank + 1,
           to_string(x.shape()));
    }
    for (int i = 0; i < kSpatialAxes; ++i) mask[x.ndim() - 2 - i] = 1;
  }
  return training() ? masked(x, mask, p_) : x;
}

template class BasicDropout<0>;
template class BasicDropout<2>;
template class BasicDropout<3>;

}  // namespace tessera::nn

#include "tessera/nn/upsample.h"

#include "tessera/core/internal/fail.h"
#include "tessera/ops/upsample.h"

namespace tessera::nn {

Upsample::Upsample(std::vector<double> scale_factor, const UpsampleOptions& options)
    : scale_factor_(std::move(scale_factor)), options_(options) {
  const std::string& mode = options.mode;
  if (mode != "nearest" && mode != "linear" && mode != "cubic") {
    fail(ErrorCode::invalid_argument, "nn::Upsample",
         "mode \"{}\" is not one of nearest, linear, cubic", mode);
  }
  if (options.antialias && (mode == "nearest" || options.align_corners)) {
    fail(ErrorCode::invalid_argument, "nn::Upsample",
         "antialias needs mode linear or cubic, and no align_corners");
  }
}

array Upsample::operator()(const array& x) const {
  if (x.ndim() < 3) {
    fail(ErrorCode::shape_mismatch, "nn::Upsample", "needs [N, spatial..., C], got {}",
         to_string(x.shape()));
  }
  std::vector<double> scale = scale_factor_;
  if (scale.size() == 1) scale.resize(x.ndim() - 2, scale[0]);
  if (options_.mode == "nearest") return upsample_nearest(x, scale);
  const auto function = options_.mode == "linear" ? upsample_linear : upsample_cubic;
  return function(x, scale, options_.align_corners, options_.antialias);
}

}  // namespace tessera::nn

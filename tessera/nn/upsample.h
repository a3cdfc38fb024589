// Upsample: resizing the spatial axes (ops/upsample.h).
#pragma once

#include <string>
#include <vector>

#include "tessera/nn/module.h"

namespace tessera::nn {

struct UpsampleOptions {
  std::string mode = "nearest";  ///< "nearest", "linear" or "cubic"
  bool align_corners = false;
  bool antialias = false;  ///< a wider filter when shrinking
};

class Upsample : public Stateless {
 public:
  /// scale_factor: one for each spatial axis, or one for all.
  /// errors  invalid_argument for another mode, antialias with mode nearest or align_corners
  explicit Upsample(std::vector<double> scale_factor, const UpsampleOptions& options = {});
  explicit Upsample(double scale_factor, const UpsampleOptions& options = {})
      : Upsample(std::vector<double>{scale_factor}, options) {}

  /// x [N, spatial..., C]   errors  shape_mismatch, invalid_argument
  array operator()(const array& x) const;

 private:
  std::vector<double> scale_factor_;
  UpsampleOptions options_;
};

}  // namespace tessera::nn

// Bilinear and Identity layers.
#pragma once

#include <optional>

#include "tessera/nn/module.h"

namespace tessera::nn {

/// y_n = x1 W_n x2 + b_n.   x1 [..., K1], x2 [..., K2] -> [..., N]
/// Parameters: weight [N, K2, K1] and bias [N], uniform in +-1 / sqrt(K1).
class Bilinear : public Module {
 public:
  /// errors  invalid_argument
  Bilinear(int input1_dims, int input2_dims, int output_dims, bool bias = true);
  /// errors  shape_mismatch unless both have the axes before the last
  array operator()(const array& x1, const array& x2) const;
  void visit(Members& members) override;

 private:
  array weight_;
  std::optional<array> bias_;
};

/// Its argument.
class Identity : public Stateless {
 public:
  array operator()(const array& x) const { return x; }
};

}  // namespace tessera::nn

#include "tessera/nn/bilinear.h"

#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/random.h"
#include "tessera/ops/shape.h"

namespace tessera::nn {

namespace {

array initial(int input1_dims, const Shape& shape) {
  if (input1_dims < 1) {
    fail(ErrorCode::invalid_argument, "nn::Bilinear", "{} input features", input1_dims);
  }
  const double bound = std::sqrt(1.0 / input1_dims);
  return random::uniform(-bound, bound, shape);
}

}  // namespace

Bilinear::Bilinear(int input1_dims, int input2_dims, int output_dims, bool bias)
    : weight_(initial(input1_dims, {output_dims, input2_dims, input1_dims})) {
  if (bias) bias_ = initial(input1_dims, {output_dims});
}

array Bilinear::operator()(const array& x1, const array& x2) const {
  const ShapeElem out = weight_.shape(0), in2 = weight_.shape(1), in1 = weight_.shape(2);
  Shape lead1 = x1.shape(), lead2 = x2.shape();
  const bool fits = !lead1.empty() && !lead2.empty() && lead1.back() == in1 && lead2.back() == in2;
  if (fits) lead2.back() = in1;
  if (!fits || lead1 != lead2) {
    fail(ErrorCode::shape_mismatch, "nn::Bilinear", "needs [..., {}] and [..., {}], got {} and {}",
         in1, in2, to_string(x1.shape()), to_string(x2.shape()));
  }
  const array left = matmul(reshape(x1, {-1, in1}), transpose(reshape(weight_, {out * in2, in1})));
  const array by_output = swapaxes(reshape(left, {-1, out, in2}), -2, -1);
  Shape result = x1.shape();
  result.back() = out;
  const array y = reshape(matmul(reshape(x2, {-1, 1, in2}), by_output), result);
  return bias_ ? y + *bias_ : y;
}

void Bilinear::visit(Members& members) {
  members("weight", weight_);
  members("bias", bias_);
}

}  // namespace tessera::nn

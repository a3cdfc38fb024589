// Gradients of the elementwise ops of one input.
#include <cmath>
#include <numbers>

#include "tessera/ops/activation.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/unary.h"

namespace tessera {

void Exp::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * v.output());
}
void Log::vjp(Vjp& v) const {
  v.set(0, v.cotangent() / v.input());
}
void Sin::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * cos(v.input()));
}
void Cos::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * -sin(v.input()));
}
void Sqrt::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * (0.5f / v.output()));
}
void Rsqrt::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * (-0.5f * (v.output() / v.input())));
}
void Reciprocal::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * -square(v.output()));
}
void Tanh::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * (1.0f - square(v.output())));
}
void Sigmoid::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * (v.output() * (1.0f - v.output())));
}
void Erf::vjp(Vjp& v) const {
  const double slope = 2 * std::numbers::inv_sqrtpi;
  v.set(0, v.cotangent() * (slope * exp(-square(v.input()))));
}
void ErfInv::vjp(Vjp& v) const {
  const double slope = 0.5 / std::numbers::inv_sqrtpi;
  v.set(0, v.cotangent() * (slope * exp(square(v.output()))));
}
void Log1p::vjp(Vjp& v) const {
  v.set(0, v.cotangent() / (1.0f + v.input()));
}
void Negative::vjp(Vjp& v) const {
  v.set(0, -v.cotangent());
}
void Square::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * (2.0f * v.input()));
}
// At 0 the slope is 0; of a complex number it is the direction x / |x|.
void Abs::vjp(Vjp& v) const {
  const array& x = v.input();
  if (x.dtype() == complex64) {
    const array length = v.output();
    v.set(0, v.cotangent() * where(length == 0.0f, 0.0f * x, x / length));
    return;
  }
  const array one = detail::scalar(1, x.dtype(), x.backend());
  v.set(0, v.cotangent() * where(x < 0, -one, where(x > 0, one, one - one)));
}
// Constant wherever they have a derivative.
void Floor::vjp(Vjp& /*v*/) const {}
void Ceil::vjp(Vjp& /*v*/) const {}

void Cast::vjp(Vjp& v) const {
  v.set(0, v.cotangent());
}

void Imag::vjp(Vjp& v) const {
  const array ct = astype(v.cotangent(), complex64);
  v.set(0, ct * array(complex64_t(0, 1)));
}

std::vector<array> Gelu::compose(std::span<const array> in) const {
  const array x = astype(in[0], promote_types(in[0].dtype(), float32));
  const double slope = std::sqrt(2 * std::numbers::inv_pi);
  const array inner = tanh_approximation ? tanh(slope * (x + 0.044715 * (x * x * x)))
                                         : erf(x * (1 / std::numbers::sqrt2));
  return {astype(0.5f * x * (1.0f + inner), in[0].dtype())};
}

}  // namespace tessera

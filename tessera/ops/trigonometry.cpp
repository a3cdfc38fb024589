#include "tessera/ops/trigonometry.h"

#include <cmath>
#include <numbers>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/exponential.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/float_function.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

// Where a negative zero counts as negative.
array sign_bit(const array& x) {
  return logical_or(x < 0.0, 1.0 / x < 0.0);
}

array copy_sign(const array& size, const array& sign_of) {
  return where(sign_bit(sign_of), negative(size), size);
}

// arctan on [0, 1]: within tan(pi / 8) a polynomial, beyond it turned by pi / 4. S. L. Moshier,
// Cephes Math Library (1992), atanf.
array arctan_of_ratio(const array& ratio) {
  const array far = ratio > 0.4142135623730950;
  const array x = where(far, (ratio - 1.0) / (ratio + 1.0), ratio);
  const array z = square(x);
  const array p =
      ((z * 8.05374449538e-2 - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1;
  const array turned = detail::constant(std::numbers::pi / 4, x);
  return where(far, turned, detail::constant(0, x)) + (p * z * x + x);
}

// sqrt(1 - x^2) without the cancellation near 1.
array other_leg(const array& x) {
  return sqrt((1.0 - x) * (1.0 + x));
}

}  // namespace

TensorSpec ArcTan2::infer(std::span<const array> in) const {
  TensorSpec spec = detail::binary_spec(kName, in);
  detail::check_floating(kName, in[0]);
  return spec;
}

std::vector<array> ArcTan2::lower(std::span<const array> in) const {
  const Dtype wide = promote_types(in[0].dtype(), float32);
  const array y = astype(in[0], wide), x = astype(in[1], wide);
  const array longer = maximum(abs(x), abs(y)), shorter = minimum(abs(x), abs(y));
  // Two zeros make the angle 0, two infinities pi / 4.
  const array ratio = where(longer == 0.0, longer,
                            where(shorter == INFINITY, detail::constant(1, x), shorter / longer));
  const array half = arctan_of_ratio(ratio);
  const array quarter = where(abs(y) > abs(x), std::numbers::pi / 2 - half, half);
  const array angle = where(sign_bit(x), std::numbers::pi - quarter, quarter);
  const array signed_angle = copy_sign(angle, y);
  return {astype(where(x == x && y == y, signed_angle, x + y), in[0].dtype())};
}

void ArcTan2::vjp(Vjp& v) const {
  const array &y = v.input(0), &x = v.input(1);
  const array scaled = v.cotangent() / (square(x) + square(y));
  if (v.wants(0)) v.set(0, scaled * x);
  if (v.wants(1)) v.set(1, scaled * -y);
}

array tan(const array& a) {
  return detail::float_function(a, [](const array& x) { return sin(x) / cos(x); });
}

array arctan2(const array& a, const array& b) {
  const Dtype dtype = detail::at_least_float(promote_types(a.dtype(), b.dtype()));
  return apply(ArcTan2{}, {astype(a, dtype), astype(b, dtype)});
}
array arctan(const array& a) {
  return detail::float_function(a,
                                [](const array& x) { return arctan2(x, detail::constant(1, x)); });
}
array arcsin(const array& a) {
  return detail::float_function(a, [](const array& x) { return arctan2(x, other_leg(x)); });
}
array arccos(const array& a) {
  return detail::float_function(a, [](const array& x) { return arctan2(other_leg(x), x); });
}

array sinh(const array& a) {
  return detail::float_function(a, [](const array& x) {
    const array size = abs(x);
    const array e = expm1(size);
    // Beyond 20 the second exponential is lost in rounding, and the first overflows before its
    // half.
    const array near = 0.5 * (e + e / (e + 1.0));
    const array root = exp(0.5 * size);
    return copy_sign(where(size > 20.0, 0.5 * root * root, near), x);
  });
}
array cosh(const array& a) {
  return detail::float_function(a, [](const array& x) {
    const array size = abs(x);
    const array root = exp(0.5 * size);
    return 0.5 * root * root + 0.5 * exp(-size);
  });
}
// For each inverse: past `kFar` the one under the root is lost in rounding, and the square may
// overflow.
constexpr double kFar = 1e8;

array arcsinh(const array& a) {
  return detail::float_function(a, [](const array& x) {
    const array size = abs(x);
    const array near = log1p(size + square(size) / (1.0 + sqrt(1.0 + square(size))));
    return copy_sign(where(size > kFar, log(size) + std::numbers::ln2, near), x);
  });
}
array arccosh(const array& a) {
  return detail::float_function(a, [](const array& x) {
    const array past = x - 1.0;
    const array near = log1p(past + sqrt(past * (x + 1.0)));
    return where(x > kFar, log(x) + std::numbers::ln2, near);
  });
}
array arctanh(const array& a) {
  return detail::float_function(a, [](const array& x) { return 0.5 * (log1p(x) - log1p(-x)); });
}

array degrees(const array& a) {
  return astype(a, detail::at_least_float(a.dtype())) * (180.0 / std::numbers::pi);
}
array radians(const array& a) {
  return astype(a, detail::at_least_float(a.dtype())) * (std::numbers::pi / 180.0);
}

}  // namespace tessera

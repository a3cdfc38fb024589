#include "tessera/ops/rounding.h"

#include <cmath>
#include <limits>

#include "tessera/ir/node.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/float_function.h"

namespace tessera {

namespace {

bool is_complex(const array& a) {
  return issubdtype(a.dtype(), Dtype::Category::complexfloating);
}

double largest_finite(Dtype dtype) {
  switch (dtype) {
    case Dtype::Val::float16: return 65504.0;
    case Dtype::Val::bfloat16: return 0x1.FEp127;
    case Dtype::Val::float64: return std::numeric_limits<double>::max();
    default: return std::numeric_limits<float>::max();
  }
}

// Where the quotient was rounded towards 0 past the floor: rest != 0 with another sign than b.
array is_past(const array& rest, const array& b) {
  return rest != 0 && ((rest < 0) != (b < 0));
}

}  // namespace

std::vector<array> Round::lower(std::span<const array> in) const {
  if (!is_floating(in[0].dtype())) return {in[0]};
  return {detail::float_function(in[0], [](const array& x) {
    const array below = floor(x);
    const array rest = x - below;
    const array odd = below - 2.0 * floor(0.5 * below);
    const array up = rest > 0.5 || (rest == 0.5 && odd == 1.0);
    const array rounded = where(up, below + 1.0, below);
    // -0 stays, and so does what rounds to it.
    const array zero = where(x < 0.0, detail::constant(-0.0, x), x);
    return where(rounded == 0.0 && abs(x) <= 0.5, zero * 0.0, where(x == floor(x), x, rounded));
  })};
}

TensorSpec Remainder::infer(std::span<const array> in) const {
  const TensorSpec spec = detail::binary_spec(kName, in);
  if (!is_floating(spec.dtype) && !is_integer(spec.dtype)) {
    fail(ErrorCode::unsupported_dtype, kName, "needs integers or floating numbers, got {}",
         detail::describe(in[0]));
  }
  return spec;
}
std::vector<array> Remainder::lower(std::span<const array> in) const {
  if (is_integer(in[0].dtype())) {
    const array quotient = apply(Divide{}, {in[0], in[1]});  // towards 0
    const array rest = in[0] - in[1] * quotient;
    return {where(in[1] != 0 && is_past(rest, in[1]), rest + in[1], rest)};
  }
  const Dtype wide = promote_types(in[0].dtype(), float32);
  const array a = astype(in[0], wide), b = astype(in[1], wide);
  const array rest = a - b * floor(a / b);
  const array beyond = where(is_past(a, b), b, a);  // of an infinite b and a finite a
  return {astype(where(abs(b) == INFINITY && abs(a) < INFINITY, beyond, rest), in[0].dtype())};
}

// Constant, and of slope 1 in a, wherever they have a derivative.
void Round::vjp(Vjp& /*v*/) const {}
void Remainder::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, v.cotangent());
  if (v.wants(1)) v.set(1, v.cotangent() * -floor(v.input(0) / v.input(1)));
}

array round(const array& a, int decimals) {
  if (is_complex(a)) {
    return detail::join_complex(round(real(a), decimals), round(imag(a), decimals));
  }
  if (decimals == 0) return apply(Round{}, {a});
  const Dtype dtype = detail::at_least_float(a.dtype());
  const double scale = std::pow(10.0, decimals);
  const array x = astype(a, dtype);
  const array scaled = apply(Round{}, {x * scale});
  return astype(scaled * (1.0 / scale), a.dtype());
}

array trunc(const array& a) {
  const array down = floor(a);
  if (!is_floating(a.dtype())) return a;
  return where(a < 0, ceil(a), down);
}
array positive(const array& a) {
  return a;
}

array sign(const array& a) {
  if (is_complex(a)) return where(a == 0, a, a / astype(abs(a), complex64));
  if (a.dtype() == bool_) return a;
  const array zero = detail::constant(0, a);
  const array above = astype(a > zero, a.dtype());
  if (issubdtype(a.dtype(), Dtype::Category::unsignedinteger)) return above;
  return above - astype(a < zero, a.dtype());
}

array floor_divide(const array& a, const array& b) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  const array x = astype(a, dtype), y = astype(b, dtype);
  if (dtype == bool_) return logical_and(x, y);
  if (is_complex(x)) return x / y;
  if (is_floating(dtype)) return floor(x / y);
  const array quotient = apply(Divide{}, {x, y});
  if (issubdtype(dtype, Dtype::Category::unsignedinteger)) return quotient;
  const array past = is_past(x - y * quotient, y) && y != 0;
  return quotient - astype(past, dtype);
}

array remainder(const array& a, const array& b) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (dtype == bool_) return a && logical_not(b);
  return apply(Remainder{}, {astype(a, dtype), astype(b, dtype)});
}

std::vector<array> divmod(const array& a, const array& b) {
  return {floor_divide(a, b), remainder(a, b)};
}

array clip(const array& a, const std::optional<array>& a_min, const std::optional<array>& a_max) {
  if (!a_min && !a_max) {
    fail(ErrorCode::invalid_argument, "clip", "needs a_min, a_max or both");
  }
  const array floored = a_min ? maximum(a, *a_min) : a;
  return a_max ? minimum(floored, *a_max) : floored;
}

array nan_to_num(const array& a, float nan, std::optional<float> posinf,
                 std::optional<float> neginf) {
  if (is_complex(a)) {
    fail(ErrorCode::unsupported_dtype, "nan_to_num", "takes real numbers, got {}",
         detail::describe(a));
  }
  if (!is_floating(a.dtype())) return a;
  const double most = largest_finite(a.dtype());
  const array finite_above =
      where(a == INFINITY, detail::constant(posinf ? double(*posinf) : most, a), a);
  const array finite =
      where(a == -INFINITY, detail::constant(neginf ? double(*neginf) : -most, a), finite_above);
  return where(a == a, finite, detail::constant(nan, a));
}

}  // namespace tessera

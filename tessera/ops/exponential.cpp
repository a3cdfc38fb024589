#include "tessera/ops/exponential.h"

#include <cmath>
#include <numbers>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/float_function.h"

namespace tessera {

// (u - 1) * x / log(u) with u the rounded exp(x): the errors of u - 1 and log(u) cancel. (W. Kahan,
// as in HP-15C Advanced Functions Handbook, 1982.)
std::vector<array> Expm1::lower(std::span<const array> in) const {
  return {detail::float_function(in[0], [](const array& x) {
    const array u = exp(x);
    const array step = u - 1.0;
    const array kept = u == 1.0;  // x itself, with its sign
    const array flat = logical_or(step == -1.0, u == INFINITY);
    return where(kept, x, where(flat, step, step * (x / log(u))));
  })};
}
std::vector<array> Log2::lower(std::span<const array> in) const {
  return {
      detail::float_function(in[0], [](const array& x) { return log(x) * std::numbers::log2e; })};
}
std::vector<array> Log10::lower(std::span<const array> in) const {
  return {
      detail::float_function(in[0], [](const array& x) { return log(x) * std::numbers::log10e; })};
}

void Expm1::vjp(Vjp& v) const {
  v.set(0, v.cotangent() * (v.output() + 1.0f));
}
void Log2::vjp(Vjp& v) const {
  v.set(0, v.cotangent() / (v.input() * std::numbers::ln2));
}
void Log10::vjp(Vjp& v) const {
  v.set(0, v.cotangent() / (v.input() * std::numbers::ln10));
}

array expm1(const array& a) {
  return apply(Expm1{}, {astype(a, detail::at_least_float(a.dtype()))});
}
array log2(const array& a) {
  return apply(Log2{}, {astype(a, detail::at_least_float(a.dtype()))});
}
array log10(const array& a) {
  return apply(Log10{}, {astype(a, detail::at_least_float(a.dtype()))});
}

array logaddexp(const array& a, const array& b) {
  return detail::float_function(a, b, [](const array& x, const array& y) {
    const array most = maximum(x, y), least = minimum(x, y);
    // Equal operands are apart: the difference of two infinities is NaN.
    const array sum = most + log1p(exp(least - most));
    return where(least == most, most + std::numbers::ln2, sum);
  });
}

}  // namespace tessera

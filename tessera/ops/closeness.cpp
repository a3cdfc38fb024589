#include "tessera/ops/closeness.h"

#include <cmath>

#include "tessera/ops/binary.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

bool is_inexact(const array& a) {
  return issubdtype(a.dtype(), Dtype::Category::inexact);
}

array answer(bool value, const array& like) {
  return full(like.shape(), detail::scalar(value, bool_, like.backend()));
}

array is_infinity(const array& a, float infinity) {
  return is_inexact(a) ? a == infinity : answer(false, a);
}

}  // namespace

array isnan(const array& a) {
  return is_inexact(a) ? a != a : answer(false, a);
}
array isinf(const array& a) {
  if (a.dtype() == complex64) return isinf(real(a)) || isinf(imag(a));
  return is_inexact(a) ? abs(a) == INFINITY : answer(false, a);
}
array isfinite(const array& a) {
  if (a.dtype() == complex64) return isfinite(real(a)) && isfinite(imag(a));
  return is_inexact(a) ? abs(a) < INFINITY : answer(true, a);
}
array isposinf(const array& a) {
  return is_infinity(a, INFINITY);
}
array isneginf(const array& a) {
  return is_infinity(a, -INFINITY);
}

array logical_xor(const array& a, const array& b) {
  return astype(a, bool_) != astype(b, bool_);
}

array isclose(const array& a, const array& b, double rtol, double atol, bool equal_nan) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  const array x = astype(a, dtype), y = astype(b, dtype);
  const array size = abs(y);
  const array limit = astype(size, promote_types(size.dtype(), float32)) * rtol + atol;
  const array finite = isfinite(x) && isfinite(y);
  const array close = (abs(x - y) <= limit && finite) || (isinf(x) && x == y);
  return equal_nan ? close || (isnan(x) && isnan(y)) : close;
}

array allclose(const array& a, const array& b, double rtol, double atol, bool equal_nan) {
  return all(isclose(a, b, rtol, atol, equal_nan));
}

array array_equal(const array& a, const array& b, bool equal_nan) {
  if (a.shape() != b.shape()) return detail::scalar(false, bool_, a.backend());
  const array same = equal(a, b);
  return all(equal_nan ? same || (isnan(a) && isnan(b)) : same);
}

}  // namespace tessera

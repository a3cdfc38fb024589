// Gradients of the elementwise ops of several inputs. Broadcast inputs: the caller sums (Vjp::set).
#include "tessera/ops/binary.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

array zero_like(const array& a) {
  return detail::scalar(0, a.dtype(), a.backend());
}

// `gradient` where the condition holds.
array kept(const array& condition, const array& gradient) {
  return where(condition, gradient, zero_like(gradient));
}

}  // namespace

void Add::vjp(Vjp& v) const {
  v.set(0, v.cotangent());
  v.set(1, v.cotangent());
}
void Subtract::vjp(Vjp& v) const {
  v.set(0, v.cotangent());
  if (v.wants(1)) v.set(1, -v.cotangent());
}
void Multiply::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, v.cotangent() * conjugate(v.input(1)));
  if (v.wants(1)) v.set(1, v.cotangent() * conjugate(v.input(0)));
}
void Divide::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, v.cotangent() / conjugate(v.input(1)));
  if (v.wants(1)) {
    v.set(1, -(v.cotangent() * conjugate(v.input(0)) / square(conjugate(v.input(1)))));
  }
}
// Where both are equal the gradient goes to the second input alone, as in MLX.
void Maximum::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, kept(v.input(0) > v.input(1), v.cotangent()));
  if (v.wants(1)) v.set(1, kept(v.input(0) <= v.input(1), v.cotangent()));
}
void Minimum::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, kept(v.input(0) < v.input(1), v.cotangent()));
  if (v.wants(1)) v.set(1, kept(v.input(0) >= v.input(1), v.cotangent()));
}
void Power::vjp(Vjp& v) const {
  const array &base = v.input(0), &exponent = v.input(1);
  if (v.wants(0)) v.set(0, v.cotangent() * (exponent * power(base, exponent - 1)));
  // 0 to the b is constant in b > 0: its logarithm would make the gradient NaN.
  if (v.wants(1)) {
    v.set(1, kept(base != 0, v.cotangent() * (log(base) * v.output())));
  }
}
void Select::vjp(Vjp& v) const {
  if (v.wants(1)) v.set(1, kept(v.input(0), v.cotangent()));
  if (v.wants(2)) {
    v.set(2, where(v.input(0), zero_like(v.cotangent()), v.cotangent()));
  }
}

}  // namespace tessera

#include "tessera/ops/activation.h"

#include "tessera/ir/node.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

namespace {
array in_float32(const array& a) {
  return astype(a, promote_types(a.dtype(), float32));
}
array as_float(const array& a) {
  return astype(a, detail::at_least_float(a.dtype()));
}

template <class Op>
array gated(const Op& op, const array& gate, const array& up) {
  const Dtype dtype = detail::at_least_float(promote_types(gate.dtype(), up.dtype()));
  return apply(op, {astype(gate, dtype), astype(up, dtype)});
}
}  // namespace

std::vector<array> Silu::lower(std::span<const array> in) const {
  const array x = in_float32(in[0]);
  return {astype(x * sigmoid(x), in[0].dtype())};
}

std::vector<array> Swiglu::lower(std::span<const array> in) const {
  return {astype(silu(in_float32(in[0])) * in_float32(in[1]), in[0].dtype())};
}

std::vector<array> Geglu::lower(std::span<const array> in) const {
  const array gate = apply(Gelu(tanh_approximation), {in_float32(in[0])});
  return {astype(gate * in_float32(in[1]), in[0].dtype())};
}

array gelu(const array& x) {
  return apply(Gelu(false), {as_float(x)});
}
array gelu_approx(const array& x) {
  return apply(Gelu(true), {as_float(x)});
}
array silu(const array& x) {
  return apply(Silu{}, {as_float(x)});
}
array swiglu(const array& gate, const array& up) {
  return gated(Swiglu{}, gate, up);
}
array geglu(const array& gate, const array& up, bool tanh_approximation) {
  return gated(Geglu(tanh_approximation), gate, up);
}

}  // namespace tessera

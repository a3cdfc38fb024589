#include "tessera/ops/complex.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace detail {

array join_complex(const array& real, const array& imaginary) {
  const complex64_t i(0, 1);
  const HostTensor unit = HostTensor::from(std::span<const complex64_t>(&i, 1), Shape{});
  return astype(real, complex64) + imaginary * array(unit, imaginary.backend());
}

}  // namespace detail

TensorSpec Imag::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  if (in[0].dtype() != complex64) {
    fail(ErrorCode::unsupported_dtype, kName, "needs complex64, got {}", detail::describe(in[0]));
  }
  return {in[0].shape(), float32};
}

array real(const array& a) {
  return a.dtype() == complex64 ? astype(a, float32) : a;
}
array imag(const array& a) {
  if (a.dtype() == complex64) return apply(Imag{}, {a});
  return full(a.shape(), detail::scalar(0, a.dtype(), a.backend()));
}
array conjugate(const array& a) {
  return a.dtype() == complex64 ? detail::join_complex(real(a), negative(imag(a))) : a;
}

}  // namespace tessera

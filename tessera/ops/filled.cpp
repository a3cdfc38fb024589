#include "tessera/ops/filled.h"

#include "tessera/ops/internal/checks.h"

namespace tessera {

array full_like(const array& a, const array& value, Dtype dtype) {
  return full(a.shape(), value, dtype);
}
array full_like(const array& a, const array& value) {
  return full(a.shape(), value, a.dtype());
}
array zeros_like(const array& a, Dtype dtype) {
  return full(a.shape(), detail::scalar(0, dtype, a.backend()));
}
array zeros_like(const array& a) {
  return zeros_like(a, a.dtype());
}
array ones_like(const array& a, Dtype dtype) {
  return full(a.shape(), detail::scalar(1, dtype, a.backend()));
}
array ones_like(const array& a) {
  return ones_like(a, a.dtype());
}

}  // namespace tessera

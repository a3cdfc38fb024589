// Arrays of one value: from a C++ scalar, or shaped like another array.
#pragma once

#include <concepts>

#include "tessera/ir/array.h"
#include "tessera/ops/creation.h"

namespace tessera {

namespace detail {
template <class T>
concept FillValue = requires {
  DtypeOf<T>::value;
};
}  // namespace detail

template <detail::FillValue T>
array full(const Shape& shape, T value, Dtype dtype) {
  return full(shape, array(value, dtype));
}
template <detail::FillValue T>
array full(const Shape& shape, T value) {
  return full(shape, array(value));
}

/// Of a's shape, on a's backend, and of a's dtype unless one is given.   errors  shape_mismatch
array full_like(const array& a, const array& value, Dtype dtype);
array full_like(const array& a, const array& value);
array zeros_like(const array& a, Dtype dtype);
array zeros_like(const array& a);
array ones_like(const array& a, Dtype dtype);
array ones_like(const array& a);

template <detail::FillValue T>
array full_like(const array& a, T value, Dtype dtype) {
  const HostTensor host = HostTensor::from(std::span<const T>(&value, 1), Shape{});
  return full_like(a, array(host, a.backend()), dtype);
}
template <detail::FillValue T>
array full_like(const array& a, T value) {
  return full_like(a, value, a.dtype());
}

}  // namespace tessera

// One element from one type to another, by the rule of the op astype.
#pragma once

#include "tensor.h"

namespace my_backend {

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_complex<From>) {
    return convert<To>(value.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (is_half<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Through 64 bits; what they cannot hold is 0 by the contract, and undefined in C++.
    if (value >= From(-0x1p63) && value < From(0x1p63)) {
      return static_cast<To>(static_cast<std::int64_t>(value));
    }
    if (value >= From(0x1p63) && value < From(0x1p64)) {
      return static_cast<To>(static_cast<std::uint64_t>(value));
    }
    return To(0);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace my_backend

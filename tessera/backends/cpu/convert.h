// One element from one type to another, the same on every machine.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "tessera/backends/cpu/kernel.h"

namespace tessera::cpu {

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return value != From(0);
    else
      return convert<To>(value.real());
  } else if constexpr (is_complex<To>) {
    return To(static_cast<float>(static_cast<Compute<From>>(value)));
  } else if constexpr (is_half<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_half<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Through 64 bits, of which narrower targets keep the low ones; past those, and for NaN, the
    // language leaves the result open.
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

}  // namespace tessera::cpu

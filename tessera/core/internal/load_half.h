// load_half(): the little-endian float16 at an unaligned address, as float.
#pragma once

#include <cstdint>

#include "tessera/core/half.h"

namespace tessera {

inline float load_half(const std::uint8_t* p) {
  return float16_t::to_float(static_cast<std::uint16_t>(p[0] | (p[1] << 8)));
}

}  // namespace tessera

#include "tessera/core/microfloat.h"

#include <bit>
#include <cmath>

namespace tessera {

float from_e2m1(std::uint8_t code) {
  constexpr float kValues[] = {0,     0.5f,  1,  1.5f,  2,  3,  4,  6,
                               -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};
  return kValues[code & 15];
}

std::uint8_t to_e2m1(float value) {
  if (!std::isfinite(value)) return 0;
  constexpr float kMidpoints[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5};
  const float magnitude = std::abs(value);
  std::uint8_t code = 0;
  for (float midpoint : kMidpoints) code = static_cast<std::uint8_t>(code + (magnitude > midpoint));
  return static_cast<std::uint8_t>(value < 0 && code != 0 ? code | 8 : code);
}

float from_e4m3(std::uint8_t code) {
  const int magnitude = code & 0x7f;
  float value;
  if (magnitude == 0x7f) {
    value = NAN;
  } else if (magnitude < 8) {
    value = static_cast<float>(magnitude) * 0x1p-9f;
  } else {
    // The exponent's bias moves from 7 to 127.
    value = std::bit_cast<float>((static_cast<std::uint32_t>(magnitude) << 20) + (120u << 23));
  }
  return code & 0x80 ? -value : value;
}

std::uint8_t to_e4m3(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7e;
  const std::uint32_t sign = bits >> 24 & 0x80;
  std::uint32_t code;
  if (magnitude >= 0x43e00000u) {  // 448
    code = 0x7e;
  } else if (magnitude < 0x3c800000u) {  // 2^-6: a subnormal code
    // Adding 2^14 puts the steps of 2^-9 at the end of the mantissa, and rounds to them.
    const float aligned = std::bit_cast<float>(magnitude) + 0x1p14f;
    code = std::bit_cast<std::uint32_t>(aligned) - std::bit_cast<std::uint32_t>(0x1p14f);
  } else {
    const std::uint32_t odd = magnitude >> 20 & 1;
    code = (magnitude - (120u << 23) + 0x7ffffu + odd) >> 20;
  }
  return static_cast<std::uint8_t>(sign | code);
}

float from_e8m0(std::uint8_t code) {
  return std::bit_cast<float>(code == 0 ? 0x00400000u : static_cast<std::uint32_t>(code) << 23);
}

}  // namespace tessera

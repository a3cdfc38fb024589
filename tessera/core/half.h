// float16_t and bfloat16_t: storage types that convert to and from float, rounding to nearest even.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// IEEE 754 binary16. Values past 65504 (after rounding) become infinity; NaN stays NaN.
struct float16_t {
  std::uint16_t bits = 0;

  float16_t() = default;
  float16_t(float value) : bits(from_float(value)) {}  // NOLINT: converts as float does
  operator float() const { return to_float(bits); }    // NOLINT

  static constexpr float16_t from_bits(std::uint16_t bits) {
    float16_t h;
    h.bits = bits;
    return h;
  }

  static constexpr float to_float(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
    const std::uint32_t exponent = (h >> 10) & 0x1f;
    const std::uint32_t mantissa = h & 0x3ffu;
    if (exponent == 0) {
      // Zero and subnormals are mantissa * 2^-24, which a float holds exactly.
      const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
    }
    if (exponent == 31) {
      const std::uint32_t quiet = mantissa != 0 ? 0x00400000u : 0;  // as IEEE 754 and F16C convert
      return std::bit_cast<float>(sign | 0x7f800000u | quiet | (mantissa << 13));
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }

  static constexpr std::uint16_t from_float(float value) {
    const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
    const std::uint16_t sign = static_cast<std::uint16_t>((f >> 16) & 0x8000u);
    const std::uint32_t magnitude = f & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {  // NaN: keep the top payload bits, force quiet
      return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    }
    if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 2^16
    if (magnitude < 0x38800000u) {  // below 2^-14: subnormal in half
      // Adding 0.5 aligns the mantissa so that the addition itself rounds to nearest even.
      const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<std::uint16_t>(sign |
                                        (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u));
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
  }
};

/// The upper half of a float (Google brain format).
struct bfloat16_t {
  std::uint16_t bits = 0;

  bfloat16_t() = default;
  bfloat16_t(float value) : bits(from_float(value)) {}  // NOLINT
  operator float() const { return to_float(bits); }     // NOLINT

  static constexpr bfloat16_t from_bits(std::uint16_t bits) {
    bfloat16_t b;
    b.bits = bits;
    return b;
  }
  static constexpr float to_float(std::uint16_t b) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
  }
  static constexpr std::uint16_t from_float(float value) {
    const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
    if ((f & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((f >> 16) | 0x40u);
    return static_cast<std::uint16_t>((f + 0x7fffu + ((f >> 16) & 1u)) >> 16);
  }
};

/// Whole ranges at once; uses the F16C instructions where the processor has them.
void to_float(const float16_t* from, float* to, std::size_t count);
void to_float(const bfloat16_t* from, float* to, std::size_t count);
void from_float(const float* from, float16_t* to, std::size_t count);
void from_float(const float* from, bfloat16_t* to, std::size_t count);

}  // namespace tessera

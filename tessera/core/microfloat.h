// Floats of four and eight bits, as the OCP formats of quantised weights store them.
//
//   E2M1  4 bits: sign, exponent, one mantissa bit; 0 0.5 1 1.5 2 3 4 6 and their negatives
//   E4M3  8 bits: to 448 in steps of at least 2^-9; no infinity, 0x7f and 0xff are NaN
//   E8M0  8 bits, a power of two: 2^(byte - 127)
//
// source  OCP Microscaling Formats 1.0; arXiv:2209.05433 (E4M3)
#pragma once

#include <cstdint>

namespace tessera {

/// code: the low four bits count.
float from_e2m1(std::uint8_t code);
/// The nearest value, the smaller magnitude on ties, 6 at most. What lies at most 0.25 below zero
/// gives +0, and so do NaN and infinity: the rules of MLX's quantize.
std::uint8_t to_e2m1(float value);

float from_e4m3(std::uint8_t code);
/// The nearest value, even mantissas on ties. Past 448 it saturates, NaN included (as 0x7e).
std::uint8_t to_e4m3(float value);

/// 0 gives 2^-127; 255, the format's NaN, gives infinity as MLX reads it.
float from_e8m0(std::uint8_t code);

}  // namespace tessera

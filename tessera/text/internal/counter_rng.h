// Random numbers by position: the n-th number of a seed's sequence, on every machine alike.
#pragma once

#include <cstdint>

namespace tessera {

/// Number `position` (from 0) of the SplitMix64 sequence that starts at `seed`
/// (Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t position) {
  std::uint64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Uniform in [0, 1), a multiple of 2^-53.
constexpr double random_unit(std::uint64_t seed, std::uint64_t position) {
  return static_cast<double>(random_bits(seed, position) >> 11) * 0x1p-53;
}

}  // namespace tessera

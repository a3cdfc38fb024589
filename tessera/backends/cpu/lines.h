// Rows of elementwise kernels, read in the type that is computed in.
//
// Half types are widened and narrowed a block at a time, so that they share the loops of float and
// convert with the instructions that the processor has for it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/core/half.h"

namespace tessera::cpu {

/// An operand's values along a row, `step` elements apart; 0 for one value that is repeated.
template <class T>
struct Line {
  const T* values;
  std::int64_t step;
};

inline constexpr std::int64_t kLineBlock = 256;

/// Where the values of a type that must be widened go.
template <class T>
using LineBuffer = Compute<T>[is_half<T> ? kLineBlock : 1];

/// `count` values: where they lie, or widened into `buffer`.
template <class T>
Line<Compute<T>> line(const T* from, std::int64_t step, std::int64_t count, LineBuffer<T>& buffer) {
  if constexpr (!is_half<T>) {
    return {from, step};
  } else {
    if (step == 0) {
      *buffer = static_cast<float>(*from);
      return {buffer, 0};
    }
    if (step == 1) {
      to_float(from, buffer, count);
    } else {
      for (std::int64_t i = 0; i < count; ++i) buffer[i] = static_cast<float>(from[i * step]);
    }
    return {buffer, 1};
  }
}

/// Calls write(at, n, to) for pieces of a row of `count` outputs; what is written to `to`, in the
/// type that is computed in, ends in y[at] to y[at + n - 1]. No piece of half types, be it of the
/// output or of an operand (kWiden), is longer than kLineBlock.
template <bool kWiden, class Out, class Write>
void by_lines(Out* y, std::int64_t count, Write&& write) {
  const std::int64_t block = kWiden ? kLineBlock : count;
  for (std::int64_t at = 0; at < count; at += block) {
    const std::int64_t n = std::min(block, count - at);
    if constexpr (is_half<Out>) {
      float narrowed[kLineBlock];
      write(at, n, narrowed);
      from_float(narrowed, y + at, n);
    } else {
      write(at, n, y + at);
    }
  }
}

}  // namespace tessera::cpu

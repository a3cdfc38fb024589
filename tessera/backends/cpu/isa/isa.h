// Which instruction set the cpu backend's kernels use: chosen once, by what the processor has.
//
//   kernels().exp(x, y, n);      // the table in use
//
// TESSERA_CPU_ISA=baseline (or avx2) in the environment forces a choice.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/backends/cpu/isa/kernels.h"

namespace tessera::cpu::isa {

enum class Isa {
  baseline,  ///< what every processor of the architecture has: SSE2, NEON
  avx2,      ///< x86-64 with AVX2, FMA and F16C
};

/// "baseline", "avx2".
std::string_view to_string(Isa isa);

/// What this processor and system can run, slowest first.
std::vector<Isa> available_isas();

/// TESSERA_CPU_ISA if set, else the fastest available.
/// errors  invalid_argument when the variable names no available instruction set
Isa best_isa();

/// The kernels in use: those of best_isa() unless use_isa() chose others.   errors  as best_isa
const Kernels& kernels();
/// The kernels of one instruction set.   errors  invalid_argument when it is not available
const Kernels& kernels(Isa isa);

/// Makes kernels() give those of `isa` from now on, for tests and measurements.
/// errors  invalid_argument when it is not available
void use_isa(Isa isa);

}  // namespace tessera::cpu::isa

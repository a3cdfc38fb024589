// The kernels for x86-64 with AVX2, FMA and F16C; compiled with those flags.
#include "tessera/backends/cpu/isa/kernels/table.h"

namespace tessera::cpu::isa {

const Kernels kAvx2Kernels = TESSERA_KERNELS;

}  // namespace tessera::cpu::isa

// The kernels for any processor of the architecture: SSE2 on x86-64, NEON on AArch64.
#include "tessera/backends/cpu/isa/kernels/table.h"

namespace tessera::cpu::isa {

const Kernels kBaselineKernels = TESSERA_KERNELS;

}  // namespace tessera::cpu::isa

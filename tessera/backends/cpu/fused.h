// Fused ops on the cpu: a few rows at a time go through all the steps, by the kernels that the ops
// have of their own, so that what lies between the steps stays in the processor's cache.
#pragma once

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/fused.h"

namespace tessera::cpu {

/// Whether every step has a kernel.
bool can_run(const KernelRegistry& kernels, const FusedProgram& program);

/// outputs  as many as specs, to be filled
void run_fused(Context& ctx, const KernelRegistry& kernels, const FusedProgram& program,
               Inputs inputs, std::span<const TensorSpec> specs, std::span<TensorPtr> outputs);

}  // namespace tessera::cpu

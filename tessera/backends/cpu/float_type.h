// The storage of floats as the kernels of an instruction set name it.
#pragma once

#include "tessera/backends/cpu/isa/kernels.h"
#include "tessera/core/dtype.h"

namespace tessera::cpu {

/// Of float16, bfloat16 or float32.
inline isa::FloatType float_type(Dtype dtype) {
  return dtype == float16    ? isa::FloatType::f16
         : dtype == bfloat16 ? isa::FloatType::bf16
                             : isa::FloatType::f32;
}

}  // namespace tessera::cpu

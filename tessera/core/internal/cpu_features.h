// What the processor can do and __builtin_cpu_supports does not tell on every compiler: clang
// before version 15 refuses the name "f16c".
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>

namespace tessera {

/// Half-precision conversion instructions, and an operating system that saves their registers.
inline bool cpu_has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) &&
         (ecx & bit_F16C) != 0;
}

}  // namespace tessera
#endif

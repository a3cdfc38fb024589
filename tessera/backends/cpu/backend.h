// The cpu backend: runs everywhere, computes from packed weights, shares host memory with its user.
#pragma once

#include "tessera/backend/registry.h"

namespace tessera::cpu {

/// options.threads caps the threads of its pool, the caller's included.
BackendPtr make_cpu_backend(const BackendOptions& options);

}  // namespace tessera::cpu

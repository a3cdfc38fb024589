// The backends compiled into the library.
#include "tessera/backend/registry.h"
#include "tessera/backends/cpu/backend.h"

namespace tessera {

void register_builtin_backends();  // called by backend/registry.cpp at first use

void register_builtin_backends() {
  register_backend("cpu", cpu::make_cpu_backend);
}

}  // namespace tessera

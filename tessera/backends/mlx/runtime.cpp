#include "tessera/backends/mlx/internal/runtime.h"

#include <mlx/stream.h>
#include <mlx/version.h>

#include "tessera/backends/mlx/internal/backend.h"

namespace {

using namespace tessera;

void make(const BackendOptions& options, const char* library, BackendPtr& out) {
  out = mlx_backend::make_mlx_backend(options, library);
}

}  // namespace

extern "C" {
__attribute__((
    visibility("default"))) extern const tessera::mlx_backend::Runtime tessera_mlx_runtime;
const tessera::mlx_backend::Runtime tessera_mlx_runtime = {mlx::core::version, make};
}

// What the two shared objects of this backend tell each other. tessera-mlx.so is the module that
// programs load: it has no need of MLX, finds it, and then opens mlx-runtime.so, which is linked to
// it.
#pragma once

#include "tessera/backend/backend.h"

namespace tessera::mlx_backend {

/// Exported by mlx-runtime.so as `tessera_mlx_runtime`.
struct Runtime {
  /// Of the libmlx in use.
  const char* (*mlx_version)();
  /// Throws as make_mlx_backend() does.
  void (*make)(const BackendOptions& options, const char* library, BackendPtr& out);
};

}  // namespace tessera::mlx_backend

// The mlx backend.
#pragma once

#include <string>

#include "tessera/backend/backend.h"

namespace tessera::mlx_backend {

/// library: where libmlx was found, for info()
/// errors  not_found when MLX does not have the device that options name
BackendPtr make_mlx_backend(const BackendOptions& options, const std::string& library);

}  // namespace tessera::mlx_backend

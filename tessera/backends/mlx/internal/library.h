// Where MLX's own library lies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::mlx_backend {

/// A place where libmlx was looked for, and what became of it.
struct LibraryCandidate {
  std::filesystem::path path;
  std::string origin;  ///< "library_path", "TESSERA_MLX_PATH", "beside the module", ...
  std::string fate;    ///< "loaded", or the reason why not; empty when nobody tried
};

/// The candidates in the order of the search: the option's path alone, if there is one; else that
/// of TESSERA_MLX_PATH alone, if it is set; else beside the module, in the active Python
/// environment (VIRTUAL_ENV, CONDA_PREFIX), and in the prefixes of Homebrew and the system. A path
/// may be the library, its folder, or a folder with mlx/lib or lib in it. module_folder: where
/// tessera-mlx.so lies
std::vector<LibraryCandidate> library_candidates(const std::string& library_path,
                                                 const std::filesystem::path& module_folder);

}  // namespace tessera::mlx_backend

#include "tessera/backends/mlx/internal/library.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::mlx_backend {

namespace {

namespace fs = std::filesystem;

#if defined(__APPLE__)
constexpr const char* kLibrary = "libmlx.dylib";
#else
constexpr const char* kLibrary = "libmlx.so";
#endif

// The library that a path means; the path itself if there is none.
fs::path library_at(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  for (const char* below : {"", "lib", "mlx/lib"}) {
    const fs::path file = path / below / kLibrary;
    if (fs::exists(file, error)) return file;
  }
  return path / kLibrary;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// PREFIX/lib/python3.*/site-packages/mlx, the newest Python first.
void add_python(std::vector<LibraryCandidate>& out, const std::string& prefix, const char* origin) {
  std::error_code error;
  std::vector<fs::path> packages;
  for (const auto& entry : fs::directory_iterator(fs::path(prefix) / "lib", error)) {
    if (entry.path().filename().string().starts_with("python3")) {
      packages.push_back(entry.path() / "site-packages" / "mlx");
    }
  }
  std::sort(packages.rbegin(), packages.rend());
  for (const fs::path& package : packages) out.push_back({library_at(package), origin, ""});
}

}  // namespace

std::vector<LibraryCandidate> library_candidates(const std::string& library_path,
                                                 const fs::path& module_folder) {
  if (!library_path.empty()) return {{library_at(library_path), "library_path", ""}};
  if (const std::string path = variable("TESSERA_MLX_PATH"); !path.empty()) {
    return {{library_at(path), "TESSERA_MLX_PATH", ""}};
  }
  std::vector<LibraryCandidate> out{{library_at(module_folder), "beside the module", ""}};
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = variable(name); !prefix.empty()) add_python(out, prefix, name);
  }
  for (const char* folder : {"/opt/homebrew/lib", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
                             "/usr/lib/aarch64-linux-gnu", "/usr/lib"}) {
    out.push_back({library_at(folder), "system", ""});
  }
  return out;
}

}  // namespace tessera::mlx_backend

// tessera-mlx.so: finds MLX, makes sure that it is the one this was built for, and opens the rest.
#include "tessera/backend/module.h"

#include <dlfcn.h>
#include <mlx/version.h>

#include <cstring>
#include <mutex>

#include "tessera/backends/mlx/internal/library.h"
#include "tessera/backends/mlx/internal/runtime.h"
#include "tessera/core/internal/fail.h"

namespace tessera::mlx_backend {

namespace {

namespace fs = std::filesystem;

#define TESSERA_TEXT(x) #x
#define TESSERA_VERSION_TEXT(major, minor, patch) \
  TESSERA_TEXT(major) "." TESSERA_TEXT(minor) "." TESSERA_TEXT(patch)
constexpr const char* kBuiltFor =
    TESSERA_VERSION_TEXT(MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH);

// const char* mlx::core::version(), the one function whose meaning is the same in every MLX.
constexpr const char* kVersionSymbol = "_ZN3mlx4core7versionEv";

std::string loader_error() {
  const char* why = ::dlerror();
  return why ? why : "the loader does not say why";
}

fs::path module_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&module_folder), &info) == 0) return {};
  std::error_code error;
  return fs::canonical(info.dli_fname, error).parent_path();
}

// Opens MLX if it fits; libraries stay open, for MLX has threads of its own.
// returns  why not; empty when it is open now
std::string open_mlx(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return "not there";
  void* mlx = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!mlx) return loader_error();
  const auto version = reinterpret_cast<const char* (*)()>(::dlsym(mlx, kVersionSymbol));
  std::string why;
  if (!version) {
    why = "has no mlx::core::version()";
  } else if (std::strcmp(version(), kBuiltFor) != 0) {
    why = fmt::format("is MLX {}; this module is built for MLX {}", version(), kBuiltFor);
  }
  if (!why.empty()) ::dlclose(mlx);
  return why;
}

// errors  not_found with every candidate's fate
struct Loaded {
  std::string library;
  const Runtime* runtime;
};
Loaded load(const BackendOptions& options) {
  const fs::path folder = module_folder();
  std::string fates;
  for (const LibraryCandidate& c : library_candidates(options.library_path, folder)) {
    const std::string why = open_mlx(c.path);
    if (!why.empty()) {
      fates += fmt::format("\n  {} ({}): {}", c.path.string(), c.origin, why);
      continue;
    }
    const fs::path file = folder / "mlx-runtime.so";
    void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail(ErrorCode::bad_format, file.string(), "{}", loader_error());
    const auto* runtime = static_cast<const Runtime*>(::dlsym(handle, "tessera_mlx_runtime"));
    if (!runtime) fail(ErrorCode::bad_format, file.string(), "is no runtime of this module");
    // Some other libmlx may have been in the process before, and then serves the runtime too.
    if (std::strcmp(runtime->mlx_version(), kBuiltFor) != 0) {
      fail(ErrorCode::bad_format, file.string(),
           "this process uses MLX {} already; the module is built for MLX {}",
           runtime->mlx_version(), kBuiltFor);
    }
    return {c.path.string(), runtime};
  }
  fail(ErrorCode::not_found, "mlx", "no MLX {} was found; looked for it in{}", kBuiltFor, fates);
}

BackendPtr make(const BackendOptions& options) {
  static std::mutex mutex;
  static std::optional<Loaded> loaded;
  const std::lock_guard lock(mutex);
  if (!loaded) loaded = load(options);
  if (!options.library_path.empty()) {
    const auto asked = library_candidates(options.library_path, {})[0].path;
    std::error_code error;
    if (!fs::equivalent(asked, loaded->library, error)) {
      fail(ErrorCode::invalid_argument, "mlx", "{} was asked for, but this process uses {} already",
           asked.string(), loaded->library);
    }
  }
  BackendPtr backend;
  loaded->runtime->make(options, loaded->library.c_str(), backend);
  return backend;
}

}  // namespace

}  // namespace tessera::mlx_backend

TESSERA_BACKEND_MODULE("mlx", tessera::mlx_backend::make)

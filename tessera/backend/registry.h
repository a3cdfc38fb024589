// Backends by name, and the backend a thread works on.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/backend/backend.h"

namespace tessera {

using BackendFactory = std::function<BackendPtr(const BackendOptions&)>;

/// Adds or replaces a backend under a name. Safe from any thread.
void register_backend(std::string name, BackendFactory factory);

/// Makes a new instance, from a module (backend/plugin.h) if the program itself has no such
/// backend. name: "auto" takes the first of mlx, cuda, webgpu, cpu that works. errors  not_found,
/// with the reason, when the backend is unknown or cannot start here; "auto" also
///         when TESSERA_PLUGIN_PATH names a file or folder that does not exist
BackendPtr make_backend(std::string_view name, const BackendOptions& options = {});

/// The process's one instance of a backend with default options, made at first use. Arrays and
/// models made with it work together. name: as for make_backend.   errors  not_found
BackendPtr shared_backend(std::string_view name);

/// shared_backend("cpu").
BackendPtr cpu_backend();

/// Sets how many threads cpu_backend() uses. Takes effect for work that starts afterwards.
/// errors  invalid_argument for a negative number
void set_num_threads(int threads);

/// A backend this program knows of, and why it cannot be used if it cannot. A module that was
/// refused before it could say its name goes by its file's.
struct BackendStatus {
  std::string name;
  bool available = false;
  std::string reason;
};
std::vector<BackendStatus> list_backends();

/// Makes `backend` the calling thread's current one until the scope ends.
class BackendScope {
 public:
  explicit BackendScope(BackendPtr backend);
  ~BackendScope();
  BackendScope(const BackendScope&) = delete;
  BackendScope& operator=(const BackendScope&) = delete;

 private:
  BackendPtr previous_;
};

/// Memory figures of a backend (the current one by default).
MemoryInfo memory();
MemoryInfo memory(const BackendPtr& backend);

}  // namespace tessera

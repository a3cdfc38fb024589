#include "tessera/backend/internal/module_folders.h"

#include <dlfcn.h>

namespace tessera {

namespace {

namespace fs = std::filesystem;

// The program, or libtessera where that is a library of its own.
fs::path own_file() {
  Dl_info info{};
  std::error_code error;
  if (::dladdr(reinterpret_cast<const void*>(&module_folders), &info) != 0 && info.dli_fname) {
    // The name of the program is what it was called by, which may say nothing of where it is.
    const fs::path file = info.dli_fname;
    if (file.has_parent_path() && fs::exists(file, error)) return fs::canonical(file, error);
  }
  return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::vector<fs::path> module_folders() {
  const fs::path folder = own_file().parent_path();
  if (folder.empty()) return {};
  std::vector<fs::path> folders;
  for (const fs::path& relative : {fs::path("lib/tessera"), fs::path("tessera"),
                                   fs::path("..") / TESSERA_LIBRARY_FOLDER / "tessera"}) {
    folders.push_back((folder / relative).lexically_normal());
  }
  return folders;
}

}  // namespace tessera

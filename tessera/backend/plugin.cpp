#include "tessera/backend/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include "tessera/backend/internal/module_folders.h"
#include "tessera/backend/internal/plugins.h"
#include "tessera/backend/module.h"
#include "tessera/core/internal/fail.h"

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPathVariable = "TESSERA_PLUGIN_PATH";
constexpr std::string_view kPrefix = "tessera-";
constexpr std::string_view kSuffix = ".so";

// "tessera-mine.so" -> "mine"; nothing for files of other names.
std::optional<std::string> backend_in_name(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  return name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
}

class Library {
 public:
  // errors  bad_format with the loader's own words
  explicit Library(const fs::path& file) : handle_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_) return;
    const char* why = ::dlerror();
    fail(ErrorCode::bad_format, file.string(), "cannot be loaded as a module: {}",
         why ? why : "the loader does not say why");
  }
  ~Library() {
    if (handle_) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const BackendModule* module() const {
    return static_cast<const BackendModule*>(::dlsym(handle_, "tessera_backend_module"));
  }
  void keep() { handle_ = nullptr; }

 private:
  void* handle_;
};

// errors  bad_format unless the module can be used by this library
void check_fit(const fs::path& file, const BackendModule* module) {
  const auto refuse = [&](const std::string& why) {
    fail(ErrorCode::bad_format, file.string(), "{}", why);
  };
  if (!module) refuse("exports no tessera_backend_module, so it is no backend module");
  if (std::memcmp(module->magic, kModuleMagic, sizeof kModuleMagic) != 0) {
    refuse("its tessera_backend_module is not a module's description");
  }
  if (module->abi != kModuleAbi) {
    refuse(
        fmt::format("built by Tessera {} with module ABI {}; this is Tessera {} with ABI {}. "
                    "Build the module against this version",
                    module->version, module->abi, kVersion, kModuleAbi));
  }
  if (std::strcmp(module->version, kVersion) != 0) {
    refuse(
        fmt::format("built by Tessera {}; this is Tessera {}. Build the module against this "
                    "version",
                    module->version, kVersion));
  }
  if (std::strcmp(module->toolchain, module_toolchain()) != 0) {
    refuse(fmt::format("built with {}; this program is built with {}", module->toolchain,
                       module_toolchain()));
  }
  if (module->op_table != op_table_hash()) {
    refuse(
        fmt::format("built against another op table (its hash is {:016x}, here it is {:016x}), "
                    "though both say Tessera {}. Build the module against these headers",
                    module->op_table, op_table_hash(), kVersion));
  }
  if (module->type_sizes != module_type_sizes()) {
    refuse(
        fmt::format("its types have other sizes than this program's, though both say Tessera "
                    "{}: other headers, or other settings of the compiler",
                    kVersion));
  }
}

BackendPtr make_from(const std::string& file, const BackendModule& module,
                     const BackendOptions& options) {
  try {
    if (BackendPtr backend = module.make(options)) return backend;
  } catch (const Error& e) {
    throw Error(e.code(), file, e.what());
  } catch (const std::exception& e) {
    fail(ErrorCode::internal, file, "backend \"{}\" does not start: {}", module.name, e.what());
  } catch (...) {
    fail(ErrorCode::internal, file, "backend \"{}\" does not start, and does not say why",
         module.name);
  }
  fail(ErrorCode::internal, file, "backend \"{}\" does not start: no backend was made",
       module.name);
}

/// The candidates of this process. All functions but the constructor are called under the lock.
class Plugins {
 public:
  std::mutex mutex;

  // Looks again when the variable has changed; what was tried keeps its fate.
  void search() {
    const char* value = std::getenv(kPathVariable);
    const std::string now = value ? value : "";
    if (searched_ == now) return;
    std::vector<Found> before = std::move(found_);
    found_.clear();
    for (std::size_t begin = 0; begin < now.size();) {
      const std::size_t end = std::min(now.find(':', begin), now.size());
      if (end > begin) add_named(now.substr(begin, end - begin));
      begin = end + 1;
    }
    for (const fs::path& folder : module_folders()) add_folder(folder, "beside the program");
    for (Found& old : before) {
      if (!old.candidate.loaded) continue;
      const auto same = find(old.candidate.path);
      if (same == found_.end()) {
        found_.push_back(std::move(old));
      } else {
        old.candidate.origin = same->candidate.origin;
        *same = std::move(old);
      }
    }
    searched_ = now;
  }

  // Tries the candidates that may hold `name`, or all of them.
  void load(std::optional<std::string_view> name) {
    for (Found& f : found_) {
      if (f.tried || (name && f.by_name && f.candidate.backend != *name)) continue;
      try {
        load(f);
      } catch (const Error& e) {
        f.candidate.fate = e.what();
      }
    }
  }

  std::string load_file(const fs::path& file) {
    auto at = find(file);
    if (at == found_.end()) {
      found_.push_back({{file, "load_plugin", "", false, ""}, false, false});
      at = found_.end() - 1;
    }
    if (!at->candidate.loaded) {
      try {
        load(*at);
      } catch (const Error& e) {
        at->candidate.fate = e.what();
        throw;
      }
    }
    return at->candidate.backend;
  }

  std::vector<PluginCandidate> candidates(bool refused_only) const {
    std::vector<PluginCandidate> out;
    for (const Found& f : found_) {
      if (!refused_only || (f.tried && !f.candidate.loaded)) out.push_back(f.candidate);
    }
    return out;
  }

  // errors  not_found for the first thing that TESSERA_PLUGIN_PATH names in vain
  void check_named() const {
    for (const Found& f : found_) {
      if (f.missing) throw Error(ErrorCode::not_found, kPathVariable, f.candidate.fate);
    }
  }

 private:
  struct Found {
    PluginCandidate candidate;
    bool by_name;  // the file's name says which backend it holds
    bool tried;
    bool missing = false;
  };

  std::vector<Found>::iterator find(const fs::path& file) {
    return std::find_if(found_.begin(), found_.end(),
                        [&](const Found& f) { return f.candidate.path == file; });
  }

  void add_named(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return add_folder(path, kPathVariable);
    Found f{{fs::absolute(path), kPathVariable, "", false, ""}, false, false};
    if (!fs::exists(path, error)) {
      f.candidate.fate = path.string() + " does not exist";
      f.tried = f.missing = true;
    }
    found_.push_back(std::move(f));
  }

  void add_folder(const fs::path& folder, const char* origin) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (backend_in_name(entry.path())) files.push_back(fs::absolute(entry.path()));
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      if (find(file) != found_.end()) continue;
      found_.push_back({{file, origin, *backend_in_name(file), false, ""}, true, false});
    }
  }

  // errors  as load_plugin
  void load(Found& f) {
    f.tried = true;
    PluginCandidate& candidate = f.candidate;
    const std::string file = candidate.path.string();
    std::error_code error;
    if (!fs::exists(candidate.path, error)) {
      fail(ErrorCode::not_found, file, "there is no such file");
    }
    Library library(candidate.path);
    const BackendModule* module = library.module();
    check_fit(candidate.path, module);
    if (f.by_name && candidate.backend != module->name) {
      fail(ErrorCode::bad_format, file, "the file is named for backend \"{}\" but holds \"{}\"",
           candidate.backend, module->name);
    }
    candidate.backend = module->name;
    const bool is_new =
        register_new_backend(module->name, [file, module](const BackendOptions& options) {
          return make_from(file, *module, options);
        });
    if (!is_new) {
      fail(ErrorCode::bad_format, file, "holds backend \"{}\", which is there already",
           module->name);
    }
    module->set_log_callback([](LogLevel level, std::string_view message) { log(level, message); });
    library.keep();
    candidate.loaded = true;
    candidate.fate = "loaded";
  }

  std::vector<Found> found_;
  std::optional<std::string> searched_;
};

Plugins& plugins() {
  static Plugins p;
  return p;
}

}  // namespace

std::string load_plugin(const fs::path& file) {
  Plugins& p = plugins();
  const std::lock_guard lock(p.mutex);
  p.search();
  return p.load_file(fs::absolute(file));
}

std::vector<PluginCandidate> plugin_candidates() {
  Plugins& p = plugins();
  const std::lock_guard lock(p.mutex);
  p.search();
  p.load(std::nullopt);
  return p.candidates(false);
}

void load_plugins_for(std::string_view name) {
  Plugins& p = plugins();
  const std::lock_guard lock(p.mutex);
  p.search();
  p.load(name);
}

std::vector<PluginCandidate> refused_plugins() {
  Plugins& p = plugins();
  const std::lock_guard lock(p.mutex);
  return p.candidates(true);
}

void check_plugin_path() {
  Plugins& p = plugins();
  const std::lock_guard lock(p.mutex);
  p.search();
  p.check_named();
}

}  // namespace tessera

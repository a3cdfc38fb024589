#include "tessera/backend/registry.h"

#include <map>
#include <mutex>
#include <optional>

#include "tessera/backend/internal/plugins.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ir/array.h"

namespace tessera {

/// Registers what this build contains; defined by the backends layer.
void register_builtin_backends();

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, BackendFactory, std::less<>> factories;
};

Registry& registry() {
  static Registry r;
  static std::once_flag once;
  // The flag is set before the call: the builtins register through this same function.
  thread_local bool inside = false;
  if (!inside) {
    inside = true;
    std::call_once(once, register_builtin_backends);
    inside = false;
  }
  return r;
}

constexpr const char* kAutoOrder[] = {"mlx", "cuda", "webgpu", "cpu"};

thread_local BackendPtr scoped_backend;

std::optional<BackendFactory> find_factory(std::string_view name) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto it = r.factories.find(name);
  return it == r.factories.end() ? std::nullopt : std::optional(it->second);
}

[[noreturn]] void fail_unknown(std::string_view name) {
  std::string known;
  {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    for (const auto& [key, unused] : r.factories) known += (known.empty() ? "" : ", ") + key;
  }
  std::string refused;
  for (const PluginCandidate& c : refused_plugins()) refused += "; refused: " + c.fate;
  fail(ErrorCode::not_found, "make_backend", "this program has no backend \"{}\"; it has: {}{}",
       name, known, refused);
}

// "auto": the first backend of the order that `make` can make.
template <class Make>
BackendPtr first_that_works(Make make) {
  check_plugin_path();
  std::string reasons;
  for (const char* candidate : kAutoOrder) {
    try {
      BackendPtr backend = make(candidate);
      if (backend->chosen_by_auto()) return backend;
      reasons += fmt::format("{}{} works on {}", reasons.empty() ? "" : "; ", candidate,
                             backend->info().device);
    } catch (const Error& e) {
      reasons += std::string(reasons.empty() ? "" : "; ") + e.what();
    }
  }
  fail(ErrorCode::not_found, "backend", "no backend works here: {}", reasons);
}

}  // namespace

void register_backend(std::string name, BackendFactory factory) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.factories[std::move(name)] = std::move(factory);
}

bool register_new_backend(const std::string& name, BackendFactory factory) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  return r.factories.try_emplace(name, std::move(factory)).second;
}

BackendPtr make_backend(std::string_view name, const BackendOptions& options) {
  if (options.threads < 0) {
    fail(ErrorCode::invalid_argument, "make_backend", "threads {} < 0", options.threads);
  }
  if (name == "auto") {
    return first_that_works(
        [&](const char* candidate) { return make_backend(candidate, options); });
  }
  std::optional<BackendFactory> factory = find_factory(name);
  if (!factory) {
    load_plugins_for(name);
    factory = find_factory(name);
  }
  if (!factory) fail_unknown(name);
  return (*factory)(options);
}

BackendPtr shared_backend(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, BackendPtr, std::less<>> instances;
  if (name == "auto") return first_that_works([](const char* c) { return shared_backend(c); });
  const std::lock_guard lock(mutex);
  const auto it = instances.find(name);
  if (it != instances.end()) return it->second;
  return instances.emplace(name, make_backend(name)).first->second;
}

BackendPtr cpu_backend() {
  static const BackendPtr backend = shared_backend("cpu");
  return backend;
}

void set_num_threads(int threads) {
  if (threads < 0) fail(ErrorCode::invalid_argument, "set_num_threads", "{} < 0", threads);
  cpu_backend()->set_num_threads(threads);
}

std::vector<BackendStatus> list_backends() {
  std::vector<BackendStatus> out;
  std::map<std::string, std::string> refused;
  for (const PluginCandidate& c : plugin_candidates()) {  // loads them all
    if (!c.loaded) refused.emplace(c.backend.empty() ? c.path.string() : c.backend, c.fate);
  }
  std::map<std::string, BackendFactory, std::less<>> factories;
  {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    factories = r.factories;
  }
  for (const char* name : kAutoOrder) {
    if (!factories.contains(name)) refused.try_emplace(name, "not part of this build, no module");
  }
  for (const auto& [name, reason] : refused) {
    if (!factories.contains(name)) out.push_back({name, false, reason});
  }
  for (const auto& [name, factory] : factories) {
    try {
      factory({});
      out.push_back({name, true, ""});
    } catch (const Error& e) {
      out.push_back({name, false, e.what()});
    }
  }
  return out;
}

BackendScope::BackendScope(BackendPtr backend)
    : previous_(std::exchange(scoped_backend, std::move(backend))) {}
BackendScope::~BackendScope() {
  scoped_backend = std::move(previous_);
}

BackendPtr current_backend() {
  return scoped_backend ? scoped_backend : cpu_backend();
}

BackendPtr common_backend(std::string_view op, std::span<const array> inputs) {
  const BackendPtr& first = inputs[0].backend();
  for (const array& a : inputs) {
    if (a.backend() != first) {
      fail(ErrorCode::backend_mismatch, std::string(op),
           "inputs live on two backends, \"{}\" and {}\"{}\"; move one with to_backend",
           first->name(), a.backend()->name() == first->name() ? "another instance of " : "",
           a.backend()->name());
    }
  }
  return first;
}

MemoryInfo memory(const BackendPtr& backend) {
  return backend->memory();
}
MemoryInfo memory() {
  return memory(current_backend());
}

}  // namespace tessera

#include <algorithm>
#include <fstream>
#include <memory>

#include "tessera/backend/plugin.h"
#include "tessera/backend/registry.h"
#include "tessera/backends/cpu/isa/isa.h"
#include "tessera/cli/commands.h"
#include "tessera/cli/output.h"
#include "tessera/core/thread_pool.h"
#include "tessera/io/hub.h"
#include "tessera/ops/op_table.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr const char* kCompiler = "gcc " __VERSION__;
#else
constexpr const char* kCompiler = "unknown";
#endif

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
    if (at != std::string::npos) return line.substr(at);
  }
  return "unknown";
}

/// Of what matters to kernels, what the processor has; by no means all of it is used.
std::vector<std::string> processor_features() {
  std::vector<std::string> features;
#if defined(__x86_64__)
  const auto add = [&](bool has, const char* name) {
    if (has) features.push_back(name);
  };
  __builtin_cpu_init();
  add(__builtin_cpu_supports("sse4.2") != 0, "sse4.2");
  add(__builtin_cpu_supports("avx") != 0, "avx");
  add(__builtin_cpu_supports("avx2") != 0, "avx2");
  add(__builtin_cpu_supports("fma") != 0, "fma");
  add(__builtin_cpu_supports("avx512f") != 0, "avx512f");
  add(__builtin_cpu_supports("avx512bw") != 0, "avx512bw");
  add(__builtin_cpu_supports("avx512vnni") != 0, "avx512vnni");
#endif
  return features;
}

std::string architecture() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "unknown";
#endif
}

Json backends() {
  Json all = Json::array();
  for (const BackendStatus& status : list_backends()) {
    Json entry = {{"name", status.name}, {"available", status.available}};
    if (status.available) {
      const BackendInfo info = make_backend(status.name)->info();
      entry["device"] = info.device;
      for (const auto& [fact, value] : info.facts) entry["facts"][fact] = value;
    } else {
      entry["reason"] = status.reason;
    }
    all.push_back(std::move(entry));
  }
  return all;
}

Json modules() {
  Json all = Json::array();
  for (const PluginCandidate& c : plugin_candidates()) {
    all.push_back({{"path", c.path.string()},
                   {"origin", c.origin},
                   {"backend", c.backend},
                   {"loaded", c.loaded},
                   {"fate", c.fate}});
  }
  return all;
}

Json facts() {
  std::vector<std::string> isas;
  for (const auto isa : cpu::isa::available_isas()) isas.emplace_back(cpu::isa::to_string(isa));
  return {{"version", TESSERA_VERSION},
          {"build", TESSERA_BUILD_TYPE},
          {"compiler", kCompiler},
          {"processor",
           {{"name", processor_name()},
            {"architecture", architecture()},
            {"features", processor_features()},
            {"usable_processors", usable_processors()}}},
          {"kernels", {{"in_use", cpu::isa::to_string(cpu::isa::best_isa())}, {"available", isas}}},
          {"downloads", TESSERA_DOWNLOADS != 0},
          {"cache", cache_folder().string()},
          {"backends", backends()},
          {"modules", modules()}};
}

std::string join(const Json& words) {
  std::string text;
  for (const Json& word : words) text += (text.empty() ? "" : " ") + word.get<std::string>();
  return text;
}

void print_facts(const Json& all) {
  const auto row = [](std::string_view name, std::string_view value) {
    emit("{:<11} {}\n", name, printable(value));
  };
  const auto text = [](const Json& value) { return value.get<std::string>(); };
  row("version", text(all["version"]));
  row("build", text(all["build"]) + ", " + text(all["compiler"]));
  row("processor", fmt::format("{}, {}, {} usable", text(all["processor"]["name"]),
                               text(all["processor"]["architecture"]),
                               all["processor"]["usable_processors"].get<int>()));
  row("features", join(all["processor"]["features"]));
  row("kernels",
      fmt::format("{} (of {})", text(all["kernels"]["in_use"]), join(all["kernels"]["available"])));
  row("downloads", all["downloads"].get<bool>() ? "yes" : "no, built without libcurl");
  row("cache", text(all["cache"]));
  emit("backends\n");
  for (const Json& backend : all["backends"]) {
    std::string line;
    if (backend["available"].get<bool>()) {
      line = text(backend["device"]);
      if (backend.contains("facts")) {
        for (const auto& [fact, value] : backend["facts"].items()) {
          line += ", " + fact + " " + text(value);
        }
      }
    } else {
      line = "no: " + text(backend["reason"]);
    }
    row("  " + text(backend["name"]), line);
  }
  if (all["modules"].empty()) return;
  emit("modules\n");
  for (const Json& module : all["modules"]) {
    // A refusal begins with the file's name.
    const std::string file = module["loaded"].get<bool>() ? text(module["path"]) + ": " : "";
    emit("  {}\n", printable(file + text(module["fate"])));
  }
}

/// Every op with how each backend runs it.
Json op_table_json() {
  std::vector<BackendPtr> usable;
  for (const BackendStatus& status : list_backends()) {
    if (status.available) usable.push_back(make_backend(status.name));
  }
  Json table = Json::array();
  for (const OpInfo* op : op_table()) {
    Json attributes = Json::array();
    for (const AttributeText& a : op->attributes(nullptr)) {
      attributes.push_back(
          {{"name", a.name}, {"type", a.type}, {"default", a.value}, {"doc", a.doc}});
    }
    Json entry = {{"name", op->name},     {"required", op->required},
                  {"doc", op->doc},       {"shapes", op->shapes},
                  {"dtypes", op->dtypes}, {"attributes", std::move(attributes)}};
    for (const BackendPtr& backend : usable) {
      const bool native = backend->native(op->id);
      const bool lowered = op->lower != nullptr;
      entry["backends"][std::string(backend->name())] = native    ? "native"
                                                        : lowered ? "lowered"
                                                                  : "missing";
    }
    table.push_back(std::move(entry));
  }
  return table;
}

void print_ops(const Json& table) {
  for (const Json& op : table) {
    std::string how;
    for (const auto& [backend, kind] : op["backends"].items()) {
      how += fmt::format("{} {}  ", backend, kind.get<std::string>());
    }
    emit("{:<24}{:<10}{}\n", op["name"].get<std::string>(),
         op["required"].get<bool>() ? "required" : "optional", how);
  }
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "This build, this machine, and the backends");
  command->footer("Examples:\n  tessera info\n  tessera info --ops\n  tessera info --json");
  struct Flags {
    bool json = false;
    bool ops = false;
  };
  const auto flags = std::make_shared<Flags>();
  command->add_flag("--json", flags->json, "One JSON object");
  command->add_flag("--ops", flags->ops,
                    "Every op: native, or lowered to simpler ones, by backend");
  command->callback([flags] {
    if (flags->ops) {
      const Json table = op_table_json();
      return flags->json ? put_json(table) : print_ops(table);
    }
    const Json all = facts();
    flags->json ? put_json(all) : print_facts(all);
  });
}

}  // namespace tessera::cli

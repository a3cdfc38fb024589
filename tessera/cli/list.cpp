#include <algorithm>
#include <memory>
#include <system_error>

#include "tessera/cli/commands.h"
#include "tessera/cli/output.h"
#include "tessera/io/hub.h"

namespace tessera::cli {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  fs::path path;
  std::uint64_t bytes = 0;
};

std::uint64_t size_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    const std::uintmax_t size = fs::file_size(path, ignored);
    return ignored ? 0 : size;
  }
  std::uint64_t sum = 0;
  for (fs::recursive_directory_iterator it(path, ignored), end; it != end; it.increment(ignored)) {
    if (it->is_regular_file(ignored)) sum += it->file_size(ignored);
  }
  return sum;
}

std::vector<Entry> entries() {
  std::vector<Entry> all;
  for (std::string& name : cached_models()) {
    const fs::path path = resolve_model((cache_folder() / "models" / name).string());
    all.push_back({std::move(name), path, size_of(path)});
  }
  return all;
}

void print_list(bool json) {
  const std::vector<Entry> all = entries();
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Entry& entry : all) {
      list.push_back({{"name", entry.name}, {"path", entry.path.string()}, {"bytes", entry.bytes}});
    }
    return put_json(list);
  }
  std::size_t width = 0;
  for (const Entry& entry : all) width = std::max(width, entry.name.size());
  for (const Entry& entry : all) {
    emit("{:{}}  {:>8}\n", printable(entry.name), width, human_bytes(entry.bytes));
  }
  if (all.empty()) {
    note("No models in {}; 'tessera pull ORG/REPOSITORY' brings one.\n",
         (cache_folder() / "models").string());
  }
}

}  // namespace

void add_list(CLI::App& app) {
  CLI::App* command = app.add_subcommand("list", "Models in the cache, by the names MODEL takes");
  command->footer("Examples:\n  tessera list\n  tessera list --json");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As a JSON array");
  command->callback([json] { print_list(*json); });
}

}  // namespace tessera::cli

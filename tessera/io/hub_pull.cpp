#include <algorithm>
#include <cstdlib>

#include "tessera/core/internal/fail.h"
#include "tessera/io/hub.h"
#include "tessera/io/internal/environment.h"
#include "tessera/io/internal/hub_manifest.h"
#include "tessera/io/internal/hub_update.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Whether an earlier pull of the same files brought them all.
bool is_complete(const fs::path& folder, const PullOptions& options) {
  const std::optional<hub::Manifest> manifest = hub::Manifest::read(folder);
  return manifest && manifest->revision == options.revision &&
         manifest->include == options.include &&
         std::all_of(
             manifest->files.begin(), manifest->files.end(),
             [&](const hub::RemoteFile& file) { return file.has_size(folder / file.path); });
}

hub::Repository repository_of(const std::string& name, const PullOptions& options) {
  hub::Repository repository{.endpoint = options.endpoint,
                             .name = name,
                             .revision = options.revision,
                             .token = options.token};
  if (repository.endpoint.empty()) repository.endpoint = environment("HF_ENDPOINT");
  if (repository.endpoint.empty()) repository.endpoint = "https://huggingface.co";
  if (repository.token.empty()) repository.token = environment("HF_TOKEN");
  while (repository.endpoint.ends_with('/')) repository.endpoint.pop_back();
  if (!repository.endpoint.starts_with("https://") && !repository.endpoint.starts_with("http://")) {
    fail(ErrorCode::invalid_argument, "endpoint",
         "'{}' is no address that begins with https:// or http://", repository.endpoint);
  }
  return repository;
}

}  // namespace

fs::path pull_model(const std::string& name, const PullOptions& options) {
  hub::check_model_name(name);
  const fs::path folder = cache_folder() / "models" / name;
  const std::string offline = environment("TESSERA_OFFLINE");
  if (!offline.empty() && offline != "0") {
    if (is_complete(folder, options)) return folder;
    fail(ErrorCode::not_found, name,
         "is not complete in {} and TESSERA_OFFLINE forbids fetching it; unset the variable",
         folder.string());
  }

  hub::update_folder(repository_of(name, options), options, folder);
  return folder;
}

}  // namespace tessera

#include "tessera/io/internal/hub_update.h"

#include <system_error>

#include "tessera/io/internal/hub_fetch.h"
#include "tessera/io/internal/hub_manifest.h"

namespace tessera::hub {

void update_folder(const Repository& repository, const PullOptions& options,
                   const std::filesystem::path& folder) {
  HttpClient http;
  Manifest manifest{.revision = options.revision, .include = options.include, .files = {}};
  manifest.files = choose_files(list_files(http, repository, options.stop_token), options.include,
                                repository.name);
  const std::optional<Manifest> earlier = Manifest::read(folder);
  Manifest::remove(folder);
  for (const RemoteFile& file : manifest.files) {
    const std::filesystem::path target = folder / file.path;
    const RemoteFile* known = earlier ? earlier->find(file.path) : nullptr;
    if (known != nullptr && *known == file && file.has_size(target)) continue;
    fetch_file(http, repository, file, target, options.progress, options.stop_token);
  }
  manifest.write(folder);
}

}  // namespace tessera::hub

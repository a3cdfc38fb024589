#include "tessera/io/internal/hub_manifest.h"

#include <algorithm>
#include <span>

#include "tessera/core/error.h"
#include "tessera/core/internal/json.h"
#include "tessera/io/internal/atomic_file.h"
#include "tessera/io/mapped_file.h"

namespace tessera::hub {

using nlohmann::json;

std::optional<Manifest> Manifest::read(const std::filesystem::path& folder) {
  try {
    const std::filesystem::path path = folder / kManifestName;
    const MappedFile file(path);
    const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.size());
    const json document = parse_json(text, path.string());
    Manifest manifest{.revision = document.at("revision").get<std::string>(),
                      .include = document.at("include").get<std::vector<std::string>>(),
                      .files = {}};
    for (const json& entry : document.at("files")) {
      RemoteFile read{entry.at("path").get<std::string>(), entry.at("size").get<std::uint64_t>(),
                      entry.at("digest").get<std::string>()};
      check_remote_path(read.path, path.string());
      manifest.files.push_back(std::move(read));
    }
    return manifest;
  } catch (const Error&) {
    return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void Manifest::write(const std::filesystem::path& folder) const {
  json entries = json::array();
  for (const RemoteFile& file : files) {
    entries.push_back({{"path", file.path}, {"size", file.size}, {"digest", file.digest}});
  }
  const json document = {{"revision", revision}, {"include", include}, {"files", entries}};
  const std::string text = document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  AtomicFile file(folder / kManifestName);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

void Manifest::remove(const std::filesystem::path& folder) {
  std::error_code ignored;  // that there is none
  std::filesystem::remove(folder / kManifestName, ignored);
}

const RemoteFile* Manifest::find(std::string_view path) const {
  const auto at = std::find_if(files.begin(), files.end(),
                               [&](const RemoteFile& file) { return file.path == path; });
  return at == files.end() ? nullptr : &*at;
}

}  // namespace tessera::hub

// Manifest: what belongs into a model's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/internal/hub_files.h"

namespace tessera::hub {

/// What pull_model leaves in a model's folder once it is complete: all that belongs there. How a
/// later call knows it without the network, and which files it need not read again.
struct Manifest {
  std::string revision;
  std::vector<std::string> include;
  std::vector<RemoteFile> files;

  /// nullopt when there is none or it cannot be read.
  static std::optional<Manifest> read(const std::filesystem::path& folder);
  void write(const std::filesystem::path& folder) const;
  static void remove(const std::filesystem::path& folder);
  const RemoteFile* find(std::string_view path) const;
};

}  // namespace tessera::hub

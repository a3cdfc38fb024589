// update_folder(): a model's folder made equal to the hub's repository.
#pragma once

#include <filesystem>
#include <string>

#include "tessera/io/hub.h"

namespace tessera::hub {

struct Repository {
  std::string endpoint;  ///< without a slash at its end
  std::string name;
  std::string revision;
  std::string token;
};

/// Fetches what is missing and leaves the manifest of a complete folder.
/// errors  those of pull_model; not_found in a build without libcurl
void update_folder(const Repository& repository, const PullOptions& options,
                   const std::filesystem::path& folder);

}  // namespace tessera::hub

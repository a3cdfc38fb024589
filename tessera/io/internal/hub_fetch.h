// Talking to a model hub: its list of files, and one file of it into a folder.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "tessera/core/progress.h"
#include "tessera/io/internal/http.h"
#include "tessera/io/internal/hub_files.h"
#include "tessera/io/internal/hub_update.h"

namespace tessera::hub {

/// All files of the repository.
/// errors  not_found, io with the HTTP status, bad_format, cancelled
std::vector<RemoteFile> list_files(HttpClient& http, const Repository& repository,
                                   const std::stop_token& stop_token);

/// Brings one file to `target`, from where an earlier attempt ended.
/// errors  those of pull_model
void fetch_file(HttpClient& http, const Repository& repository, const RemoteFile& file,
                const std::filesystem::path& target, const ProgressCallback& progress,
                const std::stop_token& stop_token);

/// Whether the file at `path` has the size and digest.
bool is_right(const std::filesystem::path& path, const RemoteFile& file,
              const std::stop_token& stop_token);

}  // namespace tessera::hub

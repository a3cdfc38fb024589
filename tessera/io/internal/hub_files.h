// The files of a repository on the hub: their names, and which of them a model needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::hub {

/// Lies in a model's folder beside its files (hub_manifest.h).
inline constexpr std::string_view kManifestName = ".tessera-pull.json";

/// A file of a repository. `path` has passed check_remote_path.
struct RemoteFile {
  std::string path;
  std::uint64_t size = 0;
  /// Hexadecimal: SHA-256 of the content (64 digits) or git object id (40 digits).
  std::string digest;
  bool operator==(const RemoteFile&) const = default;

  /// Whether there is a file of this size.
  bool has_size(const std::filesystem::path& local) const;
};

/// A relative path that stays in its folder on every machine.
/// errors  bad_format naming the path for "..", an absolute path, a backslash and the like
void check_remote_path(std::string_view path, const std::string& where);

/// "org/repository" or "repository".   errors  invalid_argument
void check_model_name(std::string_view name);

/// Whether this is part k > 1 of a split GGUF ("-00002-of-00003.gguf").
bool is_later_gguf_part(std::string_view file_name);

/// The files of one page of the hub's answer to api/models/NAME/tree/REVISION.
/// errors  bad_format
std::vector<RemoteFile> parse_tree(std::string_view json, const std::string& where);

/// Those to fetch; include as in PullOptions.
/// errors  not_found when none is left; invalid_argument when there are several GGUF models to
///         choose from
std::vector<RemoteFile> choose_files(const std::vector<RemoteFile>& files,
                                     const std::vector<std::string>& include,
                                     const std::string& where);

}  // namespace tessera::hub

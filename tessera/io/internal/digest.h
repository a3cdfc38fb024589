// Digest: checksums of files, as the hub states them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

namespace tessera {

enum class DigestKind {
  sha256,      ///< of the content
  git_object,  ///< SHA-1 of "blob SIZE\0" and the content: git's own id of a file
};

/// The digest of a file in lower-case hexadecimal.   errors  not_found, io, cancelled
std::string file_digest(const std::filesystem::path& path, DigestKind kind,
                        const std::stop_token& stop_token = {});

}  // namespace tessera

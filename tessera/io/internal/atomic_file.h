// AtomicFile: a file that other readers see whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace tessera {

/// Writes beside `path` and renames on commit(); without a commit nothing of it remains.
class AtomicFile {
 public:
  /// errors  io, not_found (as do the other members)
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  /// Waits until the bytes are on the disk, then puts the file in place.
  void commit();

 private:
  [[noreturn]] void fail_errno(const char* action) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int fd_ = -1;
};

}  // namespace tessera

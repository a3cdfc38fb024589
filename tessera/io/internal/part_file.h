// PartFile: an unfinished download that later calls go on with, held by one process at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>

namespace tessera {

/// Opens or makes the file and waits until nobody else holds it (flock on the file itself, so
/// nothing is left behind by a process that dies).
class PartFile {
 public:
  /// Folders that are missing are made.   errors  io, cancelled
  PartFile(const std::filesystem::path& path, const std::stop_token& stop_token);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// errors  io, as do the other members
  void append(std::span<const char> bytes);
  void truncate(std::uint64_t size);
  /// Waits until the bytes are on the disk and gives the file its final name.
  void commit(const std::filesystem::path& final_path);
  /// Deletes it.
  void discard();

 private:
  bool lock();
  [[noreturn]] void fail_errno(const char* action) const;

  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tessera

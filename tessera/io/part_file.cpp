#include "tessera/io/internal/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include "tessera/core/internal/fail.h"
#include "tessera/core/progress.h"

namespace tessera {

PartFile::PartFile(const std::filesystem::path& path, const std::stop_token& stop_token)
    : path_(path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    fail(ErrorCode::io, path.parent_path().string(), "cannot make the folder: {}", error.message());
  }
  try {
    while (!lock()) {
      throw_if_stopped(stop_token, path_.string());
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    throw;
  }
}

PartFile::~PartFile() {
  if (fd_ >= 0) ::close(fd_);
}

/// False when somebody else holds it.
bool PartFile::lock() {
  if (fd_ < 0) {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) fail_errno("open");
  }
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    fail_errno("lock");
  }
  // Whoever held it before may have renamed or deleted it: then the name is another file, or none.
  struct stat held {};
  struct stat named {};
  if (::fstat(fd_, &held) != 0) fail_errno("inspect");
  if (::stat(path_.c_str(), &named) != 0 || held.st_ino != named.st_ino ||
      held.st_dev != named.st_dev) {
    ::close(fd_);
    fd_ = -1;
    return lock();
  }
  size_ = static_cast<std::uint64_t>(held.st_size);
  return true;
}

void PartFile::append(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write");
    size_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void PartFile::truncate(std::uint64_t size) {
  if (::ftruncate(fd_, static_cast<off_t>(size)) != 0) fail_errno("shorten");
  size_ = size;
}

void PartFile::commit(const std::filesystem::path& final_path) {
  if (::fsync(fd_) != 0) fail_errno("write");
  if (std::rename(path_.c_str(), final_path.c_str()) != 0) fail_errno("rename");
}

void PartFile::discard() {
  if (::unlink(path_.c_str()) != 0) fail_errno("delete");
}

void PartFile::fail_errno(const char* action) const {
  const int error = errno;
  fail(ErrorCode::io, path_.string(), "cannot {}: {}", action,
       std::generic_category().message(error));
}

}  // namespace tessera

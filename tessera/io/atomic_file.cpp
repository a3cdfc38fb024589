#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "tessera/core/internal/fail.h"
#include "tessera/io/internal/atomic_file.h"

namespace tessera {
namespace {

/// A name in the same folder, for rename cannot cross file systems; unique within and across
/// processes.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter = 0;
  std::filesystem::path name = path;
  name += fmt::format(".tmp-{}-{}", ::getpid(), counter++);
  return name;
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path)
    : path_(path), temporary_(temporary_name(path)) {
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) fail_errno("create");
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  constexpr std::size_t kLargestWrite = std::size_t{1} << 30;  // some systems refuse 2 GiB at once
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), std::min(bytes.size(), kLargestWrite));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_errno("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (::fsync(fd_) != 0) fail_errno("write");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_errno("put in place");
  ::close(fd_);
  fd_ = -1;
}

void AtomicFile::fail_errno(const char* action) const {
  const int error = errno;
  const auto code = error == ENOENT || error == ENOTDIR ? ErrorCode::not_found : ErrorCode::io;
  fail(code, path_.string(), "cannot {}: {}", action, std::generic_category().message(error));
}

}  // namespace tessera

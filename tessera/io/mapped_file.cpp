#include "tessera/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "tessera/core/internal/fail.h"

namespace tessera {
namespace {

[[noreturn]] void fail_errno(const std::filesystem::path& path, const char* action) {
  const int error = errno;
  const auto code = error == ENOENT || error == ENOTDIR ? ErrorCode::not_found : ErrorCode::io;
  fail(code, path.string(), "cannot {}: {}", action, std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

int native_advice(MapHint hint) {
  switch (hint) {
    case MapHint::normal: return MADV_NORMAL;
    case MapHint::sequential: return MADV_SEQUENTIAL;
    case MapHint::random: return MADV_RANDOM;
    case MapHint::will_need: return MADV_WILLNEED;
    case MapHint::dont_need: return MADV_DONTNEED;
  }
  return MADV_NORMAL;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail_errno(path, "open");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_errno(path, "examine");
  if (S_ISDIR(status.st_mode)) fail(ErrorCode::io, path.string(), "is a directory, not a file");
  if (!S_ISREG(status.st_mode)) fail(ErrorCode::io, path.string(), "is not a regular file");
  if (static_cast<std::uintmax_t>(status.st_size) > std::numeric_limits<std::size_t>::max()) {
    fail(ErrorCode::io, path.string(), "its {} bytes do not fit the address space", status.st_size);
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // mmap refuses empty ranges

  void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) fail_errno(path, "map");
  data_ = std::shared_ptr<const std::byte>(
      static_cast<const std::byte*>(memory),
      [size = size_](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); });
}

void MappedFile::advise(MapHint hint, std::size_t offset, std::size_t length) const {
  if (offset >= size_) return;
  // madvise takes whole pages from a page boundary on.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / page * page;
  const std::size_t end = offset + std::min(length, size_ - offset);
  ::madvise(const_cast<std::byte*>(data_.get()) + begin, end - begin, native_advice(hint));
}

}  // namespace tessera

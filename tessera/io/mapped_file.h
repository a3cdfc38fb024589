// MappedFile: a whole file as read-only memory, without reading it first.
//
//   MappedFile file("model.safetensors");
//   std::shared_ptr<const std::byte> tensor = file.share(offset);  // keeps the file mapped
//
// The map shows the file itself. Replacing a file by rename is safe; shortening one in place while
// it is mapped makes the operating system raise SIGBUS on the next access, as for any map.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace tessera {

/// How a range will be read; only ever a hint.
enum class MapHint {
  normal,
  sequential,  ///< front to back: read far ahead
  random,      ///< scattered: do not read ahead
  will_need,   ///< start reading it in now
  dont_need,   ///< drop its pages; a later access reads them again
};

class MappedFile {
 public:
  /// Maps a regular file; an empty one has size 0 and a null pointer.
  /// errors  not_found when there is no such file; io naming the cause (a directory, permission,
  /// ...)
  explicit MappedFile(const std::filesystem::path& path);

  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  /// The first byte; the file stays mapped while any copy lives, longer than this object if need
  /// be.
  const std::shared_ptr<const std::byte>& data() const { return data_; }
  /// The byte at `offset` (at most size()), sharing the map.
  std::shared_ptr<const std::byte> share(std::size_t offset) const {
    return {data_, data_.get() + offset};
  }

  /// Advises on `length` bytes from `offset`, cut to the file.
  void advise(MapHint hint, std::size_t offset = 0, std::size_t length = SIZE_MAX) const;

 private:
  std::shared_ptr<const std::byte> data_;
  std::size_t size_ = 0;
};

}  // namespace tessera

// ByteReader: takes little-endian values off the front of a byte range, and never past its end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "tessera/core/internal/fail.h"

namespace tessera {

class ByteReader {
 public:
  static_assert(std::endian::native == std::endian::little);

  ByteReader(std::span<const std::byte> bytes, std::string file)
      : bytes_(bytes), file_(std::move(file)) {}

  /// What is being read, for the message "file ends at byte X, ITEM needs up to Y".
  void set_item(std::string item) { item_ = std::move(item); }
  const std::string& item() const { return item_; }
  const std::string& file() const { return file_; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }

  /// errors  bad_format when fewer than `count` bytes are left
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > remaining()) {
      std::uint64_t end = 0;
      if (__builtin_add_overflow(std::uint64_t{position_}, count, &end)) end = UINT64_MAX;
      fail(ErrorCode::bad_format, file_, "file ends at byte {}, {} needs up to {}", bytes_.size(),
           item_, end);
    }
    const auto taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
  }

  template <class T>
  T read() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  /// A 64-bit length and that many bytes; the view is into the range.
  std::string_view read_string() {
    const auto bytes = take(read<std::uint64_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::string file_;
  std::string item_ = "the header";
};

}  // namespace tessera

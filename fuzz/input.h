// What the fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "tessera/core/error.h"

namespace tessera {

/// A copy in memory of exactly `size` bytes, so that the address sanitizer sees any step past it.
inline std::shared_ptr<const std::byte> exact_copy(const std::uint8_t* data, std::size_t size) {
  const std::shared_ptr<std::byte[]> memory(new std::byte[size]);
  if (size > 0) std::memcpy(memory.get(), data, size);
  return {memory, memory.get()};
}

/// Ends the run with a finding when a property does not hold.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Messages are short and free of control bytes, whatever the input holds.
inline void require_readable(const Error& error) {
  const std::string_view message = error.what();
  require(message.size() < 2000);
  for (const char c : message) require(static_cast<unsigned char>(c) >= 0x20);
}

/// Reads every byte, so that the address sanitizer sees one outside the input.
inline void read_all(const std::byte* data, std::size_t size) {
  for (const volatile std::byte* p = data; p != data + size; ++p) static_cast<void>(*p);
}

}  // namespace tessera

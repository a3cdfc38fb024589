// share_aligned(): tensor bytes inside a loaded file, fit for access as their dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "tessera/core/host_tensor.h"

namespace tessera {

/// The bytes at `offset`, sharing the file's memory; a copy when they are not aligned to
/// `alignment`, a power of two.
inline std::shared_ptr<const std::byte> share_aligned(const std::shared_ptr<const std::byte>& file,
                                                      std::size_t offset, std::size_t size,
                                                      std::size_t alignment) {
  const std::byte* p = file.get() + offset;
  if (reinterpret_cast<std::uintptr_t>(p) % alignment == 0) return {file, p};
  const std::shared_ptr<std::byte> copy = allocate_host(size);
  if (size > 0) std::memcpy(copy.get(), p, size);
  return copy;
}

}  // namespace tessera

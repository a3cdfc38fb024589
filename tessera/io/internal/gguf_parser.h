// parse_gguf_part(): one GGUF file, whole or a part of a split one.
#pragma once

#include "tessera/io/gguf.h"

namespace tessera {

/// As parse_gguf, but leaves the "split." keys to the caller.
GgufFile parse_gguf_part(const std::shared_ptr<const std::byte>& bytes, std::size_t size,
                         const std::filesystem::path& name);

}  // namespace tessera

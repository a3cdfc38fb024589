// read_gguf_metadata(): the key-value section of a GGUF file.
#pragma once

#include <cstdint>

#include "tessera/io/gguf.h"
#include "tessera/io/internal/byte_reader.h"

namespace tessera {

/// Reads `count` pairs, which need not be the truth.
/// errors  bad_format for a repeated key, an unknown type, a short file, arrays nested too deep
std::map<std::string, GgufValue, std::less<>> read_gguf_metadata(ByteReader& reader,
                                                                 std::uint64_t count);

}  // namespace tessera

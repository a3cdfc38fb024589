// Any bytes are a safetensors file or an Error; what is accepted covers the data exactly.
#include "input.h"
#include "tessera/core/error.h"
#include "tessera/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = tessera::parse_safetensors(tessera::exact_copy(data, size), size, "fuzz");
    std::size_t bytes = 0;
    for (const auto& [name, tensor] : file.tensors) {
      tessera::read_all(tensor.data.data(), tensor.data.nbytes());
      bytes += tensor.data.nbytes();
    }
    tessera::require(bytes + 8 <= size);
  } catch (const tessera::Error& e) {
    tessera::require_readable(e);
  }
  return 0;
}

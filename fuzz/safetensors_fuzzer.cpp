// Any bytes are a safetensors file or an Error; what is accepted covers the data exactly.
#include "input.h"
#include "tessera/core/error.h"
#include "tessera/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto file = tessera::parse_safetensors(tessera::exact_copy(data, size), size, "fuzz");
    std::size_t bytes = 0;
    unsigned sum = 0;
    for (const auto& [name, tensor] : file.tensors) {
      bytes += tensor.data.nbytes();
      for (std::size_t i = 0; i < tensor.data.nbytes(); ++i) {
        sum += std::to_integer<unsigned>(tensor.data.data()[i]);
      }
    }
    tessera::keep(sum);
    tessera::require(bytes + 8 <= size);
  } catch (const tessera::Error& e) {
    tessera::require_readable(e);
  }
  return 0;
}

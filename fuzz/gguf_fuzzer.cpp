// Any bytes are a GGUF file or an Error, and what is accepted can be read to its last byte.
#include "input.h"
#include "tessera/core/error.h"
#include "tessera/io/gguf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tessera::GgufFile file =
        tessera::parse_gguf(tessera::exact_copy(data, size), size, "fuzz");
    std::uint64_t bytes = 0;
    for (const auto& [name, tensor] : file.tensors) {
      tessera::read_all(tensor.data.get(), tensor.nbytes);
      bytes += tensor.nbytes;
      tessera::to_host_tensor(tensor);
    }
    tessera::require(bytes <= size);
    for (const auto& [key, value] : file.metadata) {
      try {
        file.get_uint(key);
        file.get_ints(key);
      } catch (const tessera::Error&) {
      }
    }
  } catch (const tessera::Error& e) {
    tessera::require_readable(e);
  }
  return 0;
}

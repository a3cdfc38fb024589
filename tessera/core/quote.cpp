#include <fmt/format.h>

#include "tessera/core/internal/quote.h"

namespace tessera {

std::string quote(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  std::string out = "\"";
  for (const char c : name.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  if (name.size() > kLongest) out += fmt::format("... ({} bytes)", name.size());
  return out + '"';
}

}  // namespace tessera

#include "tessera/text/internal/jinja/template_error.h"

namespace tessera::jinja {

void template_error(int line, std::string message) {
  constexpr std::size_t kLongest = 400;
  if (message.size() > kLongest) {
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) --end;
    message.resize(end);
    message += "...";
  }
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  throw Error(ErrorCode::bad_format, fmt::format("chat template, line {}", line), message);
}

}  // namespace tessera::jinja

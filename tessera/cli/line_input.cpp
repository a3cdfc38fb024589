#include "tessera/cli/line_input.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "tessera/cli/interrupt.h"

namespace tessera::cli {

Input read_byte(char& byte) {
  // The signal may arrive in any thread, so poll() need not return for it.
  constexpr int kLookForInterruptMs = 50;
  while (true) {
    if (interrupted()) return Input::interrupted;
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&input, 1, kLookForInterruptMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    return count == 1 ? Input::byte : Input::end;
  }
}

Line read_plain_line() {
  Line line;
  while (true) {
    char c = 0;
    switch (read_byte(c)) {
      case Input::byte:
        if (c == '\n') return line;
        line.text += c;
        break;
      case Input::interrupted: return {"", LineEnd::interrupted};
      case Input::end:
        if (line.text.empty()) line.end = LineEnd::end_of_input;
        return line;
    }
  }
}

}  // namespace tessera::cli

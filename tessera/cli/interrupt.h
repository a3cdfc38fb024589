// Ctrl-C as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace tessera::cli {

enum class SecondInterrupt {
  ends_program,  ///< for a command that may be slow to stop
  is_the_same,   ///< for a conversation, which goes on
};

/// Counts SIGINT from now on instead of dying from it.
void catch_interrupts(SecondInterrupt second);
/// Whether one came since the last clear_interrupt().
bool interrupted();
void clear_interrupt();

/// While it lives, an interrupt stops its token.
class InterruptToken {
 public:
  InterruptToken();
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  // A signal handler may not call request_stop(), so a thread looks for the signal.
  std::jthread watcher_;
};

}  // namespace tessera::cli

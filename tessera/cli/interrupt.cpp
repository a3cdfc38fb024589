#include "tessera/cli/interrupt.h"

#include <signal.h>

#include <atomic>
#include <chrono>

namespace tessera::cli {
namespace {

std::atomic<bool> came = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

void catch_interrupts(SecondInterrupt second) {
  struct sigaction action {};
  action.sa_handler = [](int) { came = true; };
  action.sa_flags = second == SecondInterrupt::ends_program ? static_cast<int>(SA_RESETHAND) : 0;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
}

bool interrupted() {
  return came;
}
void clear_interrupt() {
  came = false;
}

InterruptToken::InterruptToken()
    : watcher_([this](const std::stop_token& end) {
        using namespace std::chrono_literals;
        while (!end.stop_requested() && !source_.stop_requested()) {
          if (interrupted()) source_.request_stop();
          std::this_thread::sleep_for(20ms);
        }
      }) {}

}  // namespace tessera::cli

#include "tessera/core/log.h"

#include <mutex>
#include <utility>

namespace tessera {

namespace {
std::mutex mutex;
LogCallback& current() {
  static LogCallback callback;
  return callback;
}
}  // namespace

LogCallback set_log_callback(LogCallback callback) {
  const std::lock_guard lock(mutex);
  return std::exchange(current(), std::move(callback));
}

void log(LogLevel level, std::string_view message) {
  const std::lock_guard lock(mutex);
  if (current()) current()(level, message);
}

}  // namespace tessera

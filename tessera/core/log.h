// Logging through a callback of the host program. The library itself never prints.
#pragma once

#include <functional>
#include <string_view>

namespace tessera {

enum class LogLevel { debug, info, warning, error };

using LogCallback = std::function<void(LogLevel, std::string_view message)>;

/// Installs the process-wide callback and returns the one before; an empty function turns logging
/// off (the default). Called from any thread, one call at a time.
LogCallback set_log_callback(LogCallback callback);

/// Hands a message to the callback, if there is one.
void log(LogLevel level, std::string_view message);

}  // namespace tessera

// Progress reports and cancellation for long work (download, load, prefill).
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace tessera {

/// One report. total is 0 while unknown; unit is "bytes", "tensors" or "tokens".
struct Progress {
  std::string_view stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::string_view unit;
};

using ProgressCallback = std::function<void(const Progress&)>;

/// errors  cancelled, naming `stage`, once the token was asked to stop
void throw_if_stopped(const std::stop_token& stop, std::string_view stage);

}  // namespace tessera

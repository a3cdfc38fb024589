#include "tessera/core/progress.h"

#include <string>

#include "tessera/core/error.h"

namespace tessera {

void throw_if_stopped(const std::stop_token& stop, std::string_view stage) {
  if (stop.stop_requested()) {
    throw Error(ErrorCode::cancelled, std::string(stage), "stopped on request");
  }
}

}  // namespace tessera

// fail(): throws an Error with a formatted message. For .cpp files: it brings fmt in.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tessera/core/error.h"

namespace tessera {

template <class... Args>
[[noreturn]] void fail(ErrorCode code, std::string where, fmt::format_string<Args...> format,
                       Args&&... args) {
  throw Error(code, std::move(where), fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tessera

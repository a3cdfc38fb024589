// The process's environment.
#pragma once

#include <cstdlib>
#include <string>

namespace tessera {

/// A variable's value, empty when it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace tessera

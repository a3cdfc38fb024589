#include "tessera/text/internal/jinja/runtime.h"

#include <chrono>

namespace tessera::jinja {

Runtime::~Runtime() {
  for (const auto& cleanup : cleanups_) cleanup();
}

std::tm Runtime::now() const {
  if (clock_) return clock_();
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
#ifdef _WIN32
  localtime_s(&local, &seconds);
#else
  localtime_r(&seconds, &local);
#endif
  return local;
}

void Runtime::refuse(const std::string& message) const {
  throw Error(ErrorCode::invalid_argument, fmt::format("chat template, line {}", line_), message);
}

void Runtime::over_budget(const char* what) const {
  fail("the template used up its {} budget; does it loop or grow a string without end?", what);
}

void Runtime::too_deep() const {
  fail("more than {} nested evaluations; does a macro call itself without end?", limits_.depth);
}

}  // namespace tessera::jinja

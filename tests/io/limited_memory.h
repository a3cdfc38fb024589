// run_within_10_mb(): whether a refusal costs no memory in proportion to what a file claims.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "tessera/core/error.h"

namespace tessera {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCanLimitMemory = false;  // sanitizers reserve terabytes of addresses
#else
inline constexpr bool kCanLimitMemory = true;
#endif

/// For a child process (EXPECT_EXIT): caps the address space at 10 MB above its present size, runs
/// `action` and exits with 0 when it threw an Error other than out_of_memory.
template <class Action>
[[noreturn]] void run_within_10_mb(Action action) {
  if (kCanLimitMemory) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * ::sysconf(_SC_PAGESIZE) + 10'000'000;
    const rlimit cap{limit, limit};
    if (::setrlimit(RLIMIT_AS, &cap) != 0) ::_exit(4);
  }
  try {
    action();
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    ::_exit(e.code() == ErrorCode::out_of_memory ? 1 : 0);
  } catch (...) {
    ::_exit(2);
  }
  ::_exit(3);
}

}  // namespace tessera

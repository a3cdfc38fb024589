// ThreadPool: fork-join over index ranges. One pool per backend instance; the caller works too.
#pragma once

#include <cstdint>
#include <memory>

#include "tessera/core/function_ref.h"

namespace tessera {

/// N threads in all: the calling thread and N - 1 workers, which spin briefly after a job and then
/// sleep. Nested calls, and a call made while another thread holds the pool, run inline.
class ThreadPool {
 public:
  /// threads <= 0 takes the number of usable processors (the affinity mask is honoured); more than
  /// 1,024 are 1,024.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return threads_; }

  /// Calls fn(begin, end) over pieces of [0, count), each at least `grain` long (but the last).
  /// Pieces are taken dynamically, so uneven cores even out. Returns when all are done; the first
  /// exception thrown by fn is thrown again here.
  void parallel_for(std::int64_t count, std::int64_t grain,
                    function_ref<void(std::int64_t begin, std::int64_t end)> fn);

 private:
  struct State;
  void work();

  int threads_;
  std::unique_ptr<State> state_;
};

/// Processors this process may run on.
int usable_processors();

}  // namespace tessera

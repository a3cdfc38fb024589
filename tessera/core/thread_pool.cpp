#include "tessera/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera {

namespace {

// About 30 microseconds of spinning: longer than the gap between two ops of a decode step, shorter
// than anybody would notice on an idle machine.
constexpr int kSpins = 3000;

thread_local bool inside_parallel_region = false;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

int usable_processors() {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

struct ThreadPool::State {
  using Fn = function_ref<void(std::int64_t, std::int64_t)>;

  std::mutex owner;  // held by the thread whose job is running
  std::vector<std::thread> workers;

  // The job. Written by the owner before `generation` grows, read by workers after.
  const Fn* fn = nullptr;
  std::int64_t count = 0;
  std::int64_t chunk = 0;
  std::atomic<std::int64_t> next{0};
  std::atomic<int> running{0};
  std::atomic<std::uint64_t> generation{0};
  std::atomic<bool> quit{false};

  std::mutex sleep_mutex;
  std::condition_variable wake;
  std::atomic<int> sleeping{0};

  std::mutex error_mutex;
  std::exception_ptr error;

  void run_pieces() {
    inside_parallel_region = true;
    for (;;) {
      const std::int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count) break;
      try {
        (*fn)(begin, std::min(begin + chunk, count));
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(count, std::memory_order_relaxed);
      }
    }
    inside_parallel_region = false;
  }
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : usable_processors()), state_(std::make_unique<State>()) {
  for (int i = 1; i < threads_; ++i) state_->workers.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->sleep_mutex);
    state_->quit = true;
    state_->generation.fetch_add(1);
  }
  state_->wake.notify_all();
  for (std::thread& t : state_->workers) t.join();
}

void ThreadPool::work(int) {
  State& s = *state_;
  std::uint64_t seen = 0;
  for (;;) {
    int spins = 0;
    while (s.generation.load(std::memory_order_acquire) == seen) {
      if (++spins < kSpins) {
        relax();
        continue;
      }
      std::unique_lock lock(s.sleep_mutex);
      s.sleeping.fetch_add(1);
      s.wake.wait(lock, [&] { return s.generation.load() != seen; });
      s.sleeping.fetch_sub(1);
    }
    seen = s.generation.load(std::memory_order_acquire);
    if (s.quit) return;
    s.run_pieces();
    s.running.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadPool::parallel_for(std::int64_t count, std::int64_t grain,
                              function_ref<void(std::int64_t, std::int64_t)> fn) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(1, grain);
  State& s = *state_;
  if (threads_ == 1 || count <= grain || inside_parallel_region || !s.owner.try_lock()) {
    fn(0, count);
    return;
  }
  const std::lock_guard owner(s.owner, std::adopt_lock);

  // Four pieces per thread: enough for a slow core to fall behind without holding up the rest.
  const std::int64_t pieces = std::min<std::int64_t>(count / grain, std::int64_t{4} * threads_);
  s.fn = &fn;
  s.count = count;
  s.chunk = (count + pieces - 1) / pieces;
  s.error = nullptr;
  s.next.store(0, std::memory_order_relaxed);
  s.running.store(threads_ - 1, std::memory_order_relaxed);
  s.generation.fetch_add(1);  // seq_cst: pairs with the sleepers' counter below
  if (s.sleeping.load() > 0) {
    const std::lock_guard lock(s.sleep_mutex);
    s.wake.notify_all();
  }
  s.run_pieces();
  for (int spins = 0; s.running.load(std::memory_order_acquire) != 0; ++spins) {
    // A worker may have lost its processor; past a while give ours away instead of burning it.
    if (spins < kSpins) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace tessera

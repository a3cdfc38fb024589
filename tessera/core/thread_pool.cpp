#include "tessera/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
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

constexpr int kMaxThreads = 1024;
constexpr int kPiecesPerThread = 16;

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

// One word says all of the job on offer: bits 0-15 how many workers have joined it, bit 16 whether
// it is open to more, the rest its number. A worker joins by adding one to a word with the open
// bit; the owner takes the bit away when no pieces are left, and then waits for those that joined
// only. So a worker that is slow to wake, or that another program keeps off its processor, holds
// up nobody.
constexpr std::uint64_t kOpen = std::uint64_t{1} << 16;
constexpr std::uint64_t kJoined = kOpen - 1;
constexpr int kNumberShift = 17;

struct ThreadPool::State {
  using Fn = function_ref<void(std::int64_t, std::int64_t)>;

  std::mutex owner;  // held by the thread whose job is running
  std::vector<std::thread> workers;

  // The job: written by the owner while no job is open, read by workers that have joined.
  const Fn* fn = nullptr;
  std::int64_t count = 0;
  std::int64_t chunk = 0;
  std::atomic<std::int64_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;

  alignas(64) std::atomic<std::uint64_t> job{0};
  alignas(64) std::atomic<std::uint64_t> finished{0};

  std::mutex sleep_mutex;
  std::condition_variable wake;
  std::atomic<int> sleeping{0};
  std::atomic<bool> quit{false};

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

  /// Whether a job other than number `seen` is open.
  bool offers_other_than(std::uint64_t seen) const {
    const std::uint64_t word = job.load();
    return (word & kOpen) != 0 && word >> kNumberShift != seen;
  }

  /// Joins the open job, if there still is one; `seen` becomes its number.
  bool join(std::uint64_t& seen) {
    std::uint64_t word = job.load(std::memory_order_relaxed);
    while ((word & kOpen) != 0 && word >> kNumberShift != seen) {
      if (job.compare_exchange_weak(word, word + 1, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
        seen = word >> kNumberShift;
        return true;
      }
    }
    return false;
  }

  void open() {
    finished.store(0, std::memory_order_relaxed);
    const std::uint64_t number = (job.load(std::memory_order_relaxed) >> kNumberShift) + 1;
    job.store(number << kNumberShift | kOpen);  // seq_cst: pairs with the sleepers' counter
    if (sleeping.load() > 0) {
      const std::lock_guard lock(sleep_mutex);
      wake.notify_all();
    }
  }

  void close_and_wait() {
    const std::uint64_t joined = job.fetch_and(~kOpen, std::memory_order_relaxed) & kJoined;
    for (int spins = 0; finished.load(std::memory_order_acquire) != joined; ++spins) {
      // A worker may have lost its processor; past a while give ours away instead of burning it.
      if (spins < kSpins) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
  }
};

ThreadPool::ThreadPool(int threads)
    : threads_(std::min(threads > 0 ? threads : usable_processors(), kMaxThreads)),
      state_(std::make_unique<State>()) {
  for (int i = 1; i < threads_; ++i) state_->workers.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->sleep_mutex);
    state_->quit = true;
  }
  state_->wake.notify_all();
  for (std::thread& t : state_->workers) t.join();
}

void ThreadPool::work() {
  State& s = *state_;
  std::uint64_t seen = 0;
  while (!s.quit.load(std::memory_order_relaxed)) {
    for (int spins = 0; spins < kSpins && !s.offers_other_than(seen); ++spins) relax();
    if (s.join(seen)) {
      s.run_pieces();
      s.finished.fetch_add(1, std::memory_order_release);
      continue;
    }
    std::unique_lock lock(s.sleep_mutex);
    s.sleeping.fetch_add(1);
    s.wake.wait(lock, [&] { return s.quit || s.offers_other_than(seen); });
    s.sleeping.fetch_sub(1);
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

  // Who finishes first waits for half a piece of another's, so pieces are small against the job.
  const std::int64_t pieces =
      std::min<std::int64_t>(count / grain, std::int64_t{kPiecesPerThread} * threads_);
  s.fn = &fn;
  s.count = count;
  s.chunk = (count + pieces - 1) / pieces;
  s.error = nullptr;
  s.next.store(0, std::memory_order_relaxed);
  s.open();
  s.run_pieces();
  s.close_and_wait();
  if (s.error) std::rethrow_exception(std::exchange(s.error, nullptr));
}

}  // namespace tessera

#include "tessera/core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tessera {
namespace {

TEST(ThreadPool, VisitsEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (std::int64_t count : {0, 1, 2, 7, 1000, 4097}) {
      std::vector<std::atomic<int>> hits(count);
      pool.parallel_for(count, 1, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i) hits[i].fetch_add(1);
      });
      for (auto& h : hits) ASSERT_EQ(h.load(), 1);
    }
  }
}

TEST(ThreadPool, ThrowsTheFirstErrorAndWorksOn) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.parallel_for(100, 1,
                                   [](std::int64_t b, std::int64_t) {
                                     if (b > 50) throw std::runtime_error("piece");
                                   }),
                 std::runtime_error);
    std::atomic<std::int64_t> sum{0};
    pool.parallel_for(100, 1, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
    EXPECT_EQ(sum.load(), 100);
  }
}

// More threads than processors, and jobs shorter than a wake-up: workers come late, join halfway or
// miss jobs altogether, and every index is still visited before the call returns.
TEST(ThreadPool, WorkersThatComeLateNeitherMissNorRepeatWork) {
  ThreadPool pool(2 * usable_processors() + 3);
  for (std::int64_t job = 1; job <= 20000; ++job) {
    std::atomic<std::int64_t> sum{0};
    pool.parallel_for(job % 37 + 2, 1, [&](std::int64_t b, std::int64_t e) {
      for (std::int64_t i = b; i < e; ++i) sum += i + 1;
    });
    const std::int64_t count = job % 37 + 2;
    ASSERT_EQ(sum.load(), count * (count + 1) / 2) << "job " << job;
  }
}

TEST(ThreadPool, NestedAndConcurrentCallsFinish) {
  ThreadPool pool(3);
  std::atomic<std::int64_t> sum{0};
  const auto job = [&] {
    for (int i = 0; i < 200; ++i) {
      pool.parallel_for(16, 1, [&](std::int64_t b, std::int64_t e) {
        pool.parallel_for(e - b, 1, [&](std::int64_t b2, std::int64_t e2) { sum += e2 - b2; });
      });
    }
  };
  std::thread other(job);
  job();
  other.join();
  EXPECT_EQ(sum.load(), 2 * 200 * 16);
}

}  // namespace
}  // namespace tessera

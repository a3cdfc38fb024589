// One backend, many threads at once.
#include <barrier>
#include <exception>
#include <mutex>
#include <thread>

#include "tessera/backend/registry.h"
#include "tessera/conformance/internal/behaviour.h"
#include "tessera/core/error.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

constexpr int kThreads = 6;
constexpr int kRounds = 25;

/// body(thread, round) in every thread, on the caller's backend; throws what one of them threw. The
/// threads begin each round together, so that their calls meet on a busy machine too.
template <class Body>
void in_threads(Body body) {
  const BackendPtr backend = current_backend();
  std::mutex mutex;
  std::exception_ptr first;
  std::barrier round_begins(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        try {
          const BackendScope scope(backend);
          for (int round = 0; round < kRounds; ++round) {
            round_begins.arrive_and_wait();
            body(t, round);
          }
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!first) first = std::current_exception();
        }
        round_begins.arrive_and_drop();
      });
    }
  }
  if (first) std::rethrow_exception(first);
}

void threads_do_not_mix_their_values() {
  in_threads([](int t, int round) {
    const float value = static_cast<float>(t * 100 + round);
    const array x = full({33, 65}, array(value));
    const array w = ones({17, 65});
    const HostTensor got = (linear(x, w) + x.shape(0)).to_host();
    for (const float v : got.values<float>()) {
      expect(v == value * 65 + 33, "thread {}, round {}: {}, not {}", t, round, v, value * 65 + 33);
    }
  });
}

void threads_share_a_value() {
  const array shared = arange(0, 4096, 1, float32) * 0.5f;
  shared.eval();
  in_threads([&](int t, int) {
    const float got = sum(shared + static_cast<float>(t)).item<float>();
    const float want = 4193280.0f + 4096.0f * static_cast<float>(t);
    expect(got == want, "thread {}: the sum is {}, not {}", t, got, want);
  });
}

void an_error_in_one_thread_is_its_own() {
  in_threads([](int t, int) {
    if (t % 2 == 0) {
      expect_refused([] { (ones({2, 3}) + ones({2})).eval(); }, {"[2, 3]"});
    } else {
      const float got = sum(ones({1000})).item<float>();
      expect(got == 1000.0f, "a neighbour's error made the sum {}", got);
    }
  });
}

}  // namespace

std::vector<Behaviour> thread_behaviours() {
  return {{"threads do not mix their values", threads_do_not_mix_their_values},
          {"threads share a value", threads_share_a_value},
          {"an error in one thread is its own", an_error_in_one_thread_is_its_own}};
}

}  // namespace tessera::conformance

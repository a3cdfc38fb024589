// Many host threads on one backend: each with its own graphs, some arrays shared by all.
#include <gtest/gtest.h>

#include <thread>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

constexpr int kThreads = 8;

void on_all_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, GraphsOverSharedArraysGiveTheSameOnEveryThread) {
  const array w = reshape(arange(0.0, 4096.0, float32), {64, 64}) / 4096.0f;
  const array x = arange(0.0, 64.0, float32);
  eval(w, x);
  const array want = softmax(matmul(reshape(x, {1, 64}), w), -1);
  want.eval();
  const HostTensor& expected = want.to_host();
  on_all_threads([&](int) {
    for (int i = 0; i < 20; ++i) {
      const array y = softmax(matmul(reshape(x, {1, 64}), w), -1);
      const auto got = y.to_host().values<float>();
      EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.values<float>().begin()));
    }
  });
}

TEST(Threads, OneArrayIsReadByAllAtOnce) {
  for (int round = 0; round < 20; ++round) {
    // A view, so that reading has to make a copy: whose copy is kept must be settled.
    const array a = transpose(reshape(arange(0, 1000), {10, 100}));
    a.eval();
    std::array<const int*, kThreads> seen{};
    on_all_threads([&](int t) {
      seen[t] = a.data<int>();
      EXPECT_EQ(seen[t][1], 100);
    });
    for (const int* data : seen) EXPECT_EQ(data, seen[0]);
  }
}

TEST(Threads, TheLastHolderMayOverwriteWhatOthersHaveRead) {
  for (int round = 0; round < 50; ++round) {
    array shared = arange(0.0, 2048.0, float32) + 1.0f;
    shared.eval();
    std::vector<array> copies(kThreads, shared);
    shared = array(0.0f);
    on_all_threads([&](int t) {
      array mine = std::move(copies[t]);
      copies[t] = array(0.0f);
      array next = mine + float(t);
      mine = array(0.0f);
      next.eval();  // in place if every other thread has finished, in new memory otherwise
      EXPECT_EQ(next.data<float>()[2047], 2048.0f + float(t));
    });
  }
}

TEST(Threads, ErrorsStayOnTheirThread) {
  const array table = arange(0.0, 16.0, float32);
  table.eval();
  on_all_threads([&](int t) {
    for (int i = 0; i < 20; ++i) {
      const array picked = take(table, array({t % 2 == 0 ? 3 : 99}), 0);
      if (t % 2 == 0)
        EXPECT_EQ(picked.item<float>(), 3.0f);
      else
        EXPECT_THROW(picked.eval(), Error);
    }
  });
}

TEST(Threads, EachThreadHasItsOwnCurrentBackend) {
  const BackendPtr mine = make_backend("cpu", {.threads = 1});
  const BackendScope scope(mine);
  EXPECT_EQ(current_backend(), mine);
  on_all_threads([&](int) {
    EXPECT_EQ(current_backend(), cpu_backend());
    const BackendPtr own = make_backend("cpu", {.threads = 2});
    const BackendScope inner(own);
    EXPECT_EQ(array(1.0f).backend(), own);
  });
  EXPECT_EQ(current_backend(), mine);
}

TEST(Threads, TheNumberOfWorkersMayChangeDuringWork) {
  const BackendPtr backend = make_backend("cpu", {.threads = 2});
  const BackendScope outer(backend);
  const array x = arange(0.0, 100000.0, float32);
  x.eval();
  std::thread changer([&] {
    for (int i = 0; i < 50; ++i) backend->set_num_threads(1 + i % 4);
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ((x * 2.0f).data<float>()[99999], 199998.0f);
  changer.join();
}

}  // namespace
}  // namespace tessera

// What memory an evaluation takes: inputs dropped after their last use, outputs in donated memory,
// and nobody else's bytes overwritten.
#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

constexpr ShapeElem kCount = 1 << 18;
constexpr std::uint64_t kBytes = kCount * sizeof(float);

// Each test on a backend of its own, so that its figures are its own.
class GraphMemory : public ::testing::Test {
 protected:
  BackendPtr backend_ = make_backend("cpu", {.threads = 1});
  BackendScope scope_{backend_};

  array big(float value) const {
    const array a = arange(0.0, double(kCount), float32) * 0.0f + value;
    a.eval();
    return a;
  }
  std::uint64_t active() const { return backend_->memory().active_bytes; }
  std::uint64_t peak() const { return backend_->memory().peak_bytes; }
  static const float* memory_of(const array& a) { return a.data<float>(); }
};

TEST_F(GraphMemory, InputsGoAfterTheirLastUse) {
  array a = big(1);
  backend_->reset_peak_memory();
  {
    array x = a;
    for (int i = 0; i < 20; ++i) x = exp(-x);
    x.eval();
    EXPECT_EQ(active(), 2 * kBytes);
  }
  EXPECT_EQ(active(), kBytes);
  EXPECT_LE(peak(), 2 * kBytes + 4096);
}

TEST_F(GraphMemory, ALoopThatReplacesItsArrayKeepsOneBuffer) {
  array x = big(0);
  const float* place = memory_of(x);
  backend_->reset_peak_memory();
  for (int i = 0; i < 50; ++i) {
    x = x + 1.0f;
    x.eval();
  }
  EXPECT_LE(peak(), kBytes + 4096);
  EXPECT_EQ(memory_of(x), place);
  EXPECT_EQ(memory_of(x)[kCount - 1], 50.0f);
}

TEST_F(GraphMemory, EitherOperandMayGiveItsMemory) {
  const array kept = big(1);
  array x = big(2);
  const float* place = memory_of(x);
  x = kept - x;
  EXPECT_EQ(memory_of(x), place);
  EXPECT_EQ(memory_of(x)[0], -1.0f);
  EXPECT_EQ(memory_of(kept)[0], 1.0f);
}

TEST_F(GraphMemory, AnArrayUsedTwiceInOneOpIsNotOverwrittenWhileRead) {
  array x = big(3);
  x = x * x - x;
  EXPECT_EQ(memory_of(x)[7], 6.0f);
}

TEST_F(GraphMemory, ACopyOfTheArrayKeepsItsValue) {
  const array x = big(1);
  const array copy = x;
  array y = x + 1.0f;
  y.eval();
  EXPECT_EQ(memory_of(copy)[0], 1.0f);
  EXPECT_NE(memory_of(y), memory_of(x));
}

TEST_F(GraphMemory, AViewKeepsTheValueOfWhatItViews) {
  array x = big(1);
  const array view = slice(x, {0}, {4});
  view.eval();
  x = x + 1.0f;
  x.eval();
  EXPECT_EQ(memory_of(view)[0], 1.0f);
  EXPECT_EQ(memory_of(x)[0], 2.0f);
}

TEST_F(GraphMemory, AHostTensorKeepsTheValueItWasGiven) {
  array x = big(1);
  const HostTensor before = x.to_host();
  x = x + 1.0f;
  x.eval();
  EXPECT_EQ(before.values<float>()[0], 1.0f);
  EXPECT_EQ(memory_of(x)[0], 2.0f);
}

TEST_F(GraphMemory, SliceUpdateOfAnArrayNobodyElseHoldsIsInPlace) {
  array x = big(0);
  const float* place = memory_of(x);
  backend_->reset_peak_memory();
  for (int i = 0; i < 10; ++i) {
    x = slice_update(x, array({float(i)}), {i}, {i + 1});
    x.eval();
  }
  EXPECT_EQ(memory_of(x), place);
  EXPECT_EQ(memory_of(x)[9], 9.0f);
  EXPECT_LE(peak(), kBytes + 4096);
}

TEST_F(GraphMemory, SliceUpdateInOneLazyChainIsInPlaceToo) {
  array x = big(0);
  const float* place = memory_of(x);
  for (int i = 0; i < 10; ++i) x = slice_update(x, array({float(i)}), {i}, {i + 1});
  EXPECT_EQ(memory_of(x), place);
  EXPECT_EQ(memory_of(x)[9], 9.0f);
}

TEST_F(GraphMemory, SliceUpdateCopiesWhatSomebodyElseHolds) {
  const array x = big(0);
  const array y = slice_update(x, array({5.0f}), {0}, {1});
  EXPECT_EQ(memory_of(y)[0], 5.0f);
  EXPECT_EQ(memory_of(x)[0], 0.0f);
}

TEST_F(GraphMemory, SliceUpdateCopiesWhatAViewShows) {
  array x = big(0);
  const array evaluated_view = slice(x, {0}, {2});
  evaluated_view.eval();
  const array lazy_view = slice(x, {0}, {2});
  x = slice_update(x, array({5.0f}), {0}, {1});
  eval(x, lazy_view);
  EXPECT_EQ(memory_of(x)[0], 5.0f);
  EXPECT_EQ(memory_of(evaluated_view)[0], 0.0f);
  EXPECT_EQ(memory_of(lazy_view)[0], 0.0f);
}

TEST_F(GraphMemory, SliceUpdateOfABroadcastWritesOnePlaceOnly) {
  array x = zeros({3, 2});
  x = slice_update(x, array({1.0f}), {1, 0}, {2, 1});
  EXPECT_EQ(std::vector<float>(x.data<float>(), x.data<float>() + 6),
            (std::vector<float>{0, 0, 1, 0, 0, 0}));
}

TEST_F(GraphMemory, SliceUpdateWithItselfReadsBeforeItWrites) {
  array x({0.0f, 1.0f, 2.0f, 3.0f, 4.0f});
  x = x + 0.0f;
  x.eval();
  x = slice_update(x, slice(x, {0}, {4}), {1}, {5});
  EXPECT_EQ(std::vector<float>(x.data<float>(), x.data<float>() + 5),
            (std::vector<float>{0, 0, 1, 2, 3}));
}

TEST_F(GraphMemory, AdoptedHostMemoryIsNeverWritten) {
  std::vector<float> mine(1000, 1.0f);
  int released = 0;
  {
    const std::shared_ptr<const std::byte> bytes(reinterpret_cast<const std::byte*>(mine.data()),
                                                 [&](const std::byte*) { ++released; });
    array x(HostTensor(Shape{1000}, float32, bytes));
    EXPECT_EQ(x.data<float>(), mine.data());  // adopted, not copied
    EXPECT_EQ(active(), 0u);
    x = x + 1.0f;
    x.eval();
    array y(HostTensor(Shape{1000}, float32, bytes));
    y = slice_update(y, array({9.0f}), {0}, {1});
    y.eval();
    array z(HostTensor(Shape{10, 100}, float32, bytes));
    z = fast::rms_norm(z, std::nullopt, 1e-5f);
    z.eval();
    array w(HostTensor(Shape{1000}, float32, bytes));
    w = softmax(exp(reshape(w, {10, 100})), 1);
    w.eval();
  }
  EXPECT_EQ(mine, std::vector<float>(1000, 1.0f));
  EXPECT_EQ(released, 1);
}

TEST_F(GraphMemory, StaysFlatOverManyEvaluations) {
  const array w = big(0.5f);
  MemoryInfo settled;
  for (int i = 0; i < 2000; ++i) {
    if (i == 10) {
      settled = backend_->memory();
      backend_->reset_peak_memory();
    }
    const array x = reshape(arange(0.0, 64.0, float32), {1, 64});
    const array y = matmul(x, reshape(slice(w, {0}, {4096}), {64, 64}));
    const array z = softmax(fast::rms_norm(y, std::nullopt, 1e-5f) * 2.0f + x, -1);
    EXPECT_EQ(argmax(z).item<std::uint32_t>(), 63u);
  }
  const MemoryInfo now = backend_->memory();
  EXPECT_EQ(now.active_bytes, settled.active_bytes);
  EXPECT_EQ(now.live_tensors, settled.live_tensors);
  EXPECT_EQ(now.cache_bytes, settled.cache_bytes);
  EXPECT_LE(now.peak_bytes, settled.peak_bytes);
}

TEST_F(GraphMemory, CountsTensorsAndGivesItsCacheBack) {
  const std::uint64_t before = backend_->memory().live_tensors;
  {
    const array a = big(1);
    EXPECT_GT(backend_->memory().live_tensors, before);
  }
  EXPECT_EQ(backend_->memory().live_tensors, before);
  EXPECT_EQ(active(), 0u);
  EXPECT_GE(backend_->memory().cache_bytes, kBytes);
  backend_->clear_cache();
  EXPECT_EQ(backend_->memory().cache_bytes, 0u);
}

}  // namespace
}  // namespace tessera

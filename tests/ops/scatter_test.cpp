// Gather and scatter: bounds, order among duplicates, and whose memory is written.
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;
using Indices = std::vector<array>;
using Axes = std::vector<int>;

TEST(Scatter, TheLastOfDuplicatesWins) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array index = array({1, 3, 1, 1});
    const array update = reshape(array({5, 6, 7, 8}), {4, 1});
    EXPECT_EQ(values<int>(scatter(zeros({4}, int32), index, update, 0)),
              (std::vector<int>{0, 8, 0, 6}));
    EXPECT_EQ(values<int>(put_along_axis(zeros({4}, int32), index, array({5, 6, 7, 8}), 0)),
              (std::vector<int>{0, 8, 0, 6}));
  }
}

TEST(Scatter, SumsOfHalvesAccumulateInFloat) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array sum =
        scatter_add(zeros({1}, float16), zeros({4096}, int32), ones({4096, 1}, float16), 0);
    EXPECT_EQ(float(sum.item<float16_t>()), 4096.0f) << lowered;
  }
}

TEST(Scatter, NanWinsOnEitherSide) {
  const array a = array({1.0f, NAN, 3.0f});
  const array update = reshape(array({NAN, 2.0f, 2.0f}), {3, 1});
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    for (const auto& result : {scatter_max(a, array({0, 1, 2}), update, 0),
                               scatter_min(a, array({0, 1, 2}), update, 0)}) {
      EXPECT_TRUE(std::isnan(values<float>(result)[0])) << lowered;
      EXPECT_TRUE(std::isnan(values<float>(result)[1])) << lowered;
      EXPECT_FALSE(std::isnan(values<float>(result)[2])) << lowered;
    }
  }
}

TEST(Scatter, RefusesIndicesOutOfRangeBeforeItWrites) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array a = zeros({4, 3}) + array(1.0f);
    a.eval();
    for (const int bad : {4, -5}) {
      const array index = array({0, bad});
      EXPECT_REFUSED(scatter(a, index, ones({2, 1, 3}), 0).eval(), "out of range");
      EXPECT_REFUSED(scatter_add(a, index, ones({2, 1, 3}), 0).eval(), "out of range");
      EXPECT_REFUSED(gather(a, index, 0, {1, 3}).eval(), "out of range");
      EXPECT_REFUSED(put_along_axis(a, array({0, bad}, {2, 1}), array(2.0f), 0).eval(),
                     "out of range");
      EXPECT_REFUSED(take_along_axis(a, array({0, bad}, {2, 1}), 0).eval(), "out of range");
    }
    // The index is in range, the slice that starts there is not.
    EXPECT_REFUSED(gather(a, array({2}), 0, {3, 3}).eval(), "out of range");
    EXPECT_REFUSED(scatter(a, array({-1}), ones({1, 2, 3}), 0).eval(), "out of range");
    EXPECT_REFUSED(gather(a, array(UINT64_MAX), 0, {1, 3}).eval(), "out of range");
    EXPECT_EQ(values<float>(a), std::vector<float>(12, 1.0f));
  }
}

TEST(Scatter, LeavesTheArrayThatOthersHold) {
  const array a = zeros({3}) + array(1.0f);
  const array b = scatter_add(a, array({0, 0}), ones({2, 1}), 0);
  EXPECT_EQ(values<float>(b), (std::vector<float>{3, 1, 1}));
  EXPECT_EQ(values<float>(a), (std::vector<float>{1, 1, 1}));
}

TEST(Scatter, OfWideRowsMeetsEveryElementOnce) {
  // Enough work for several threads: by columns, and by overlapping windows, which have none.
  constexpr ShapeElem kWidth = 4096;
  std::vector<int> row(64);
  for (int i = 0; i < 64; ++i) row[i] = i % 8;
  const array index(std::span<const int>(row), {64});
  const array sums = scatter_add(zeros({8, kWidth}, int32), index, ones({64, 1, kWidth}, int32), 0);
  EXPECT_EQ(values<int>(sums), std::vector<int>(8 * kWidth, 8));
  const array windows = scatter_add(zeros({kWidth + 63}, int32), astype(arange(64), int32),
                                    ones({64, kWidth}, int32), 0);
  EXPECT_EQ(sum(windows).item<int>(), 64 * kWidth);
  EXPECT_EQ(values<int>(slice(windows, {0}, {3})), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(values<int>(slice(windows, {100}, {101})), (std::vector<int>{64}));
}

TEST(Scatter, RefusesShapesThatDoNotFit) {
  const array a = zeros({4, 3});
  const array index = array({0, 1});
  EXPECT_REFUSED(scatter(a, index, ones({2, 3}), 0), "updates");
  EXPECT_REFUSED(scatter(a, index, ones({3, 1, 3}), 0), "[2]");
  EXPECT_REFUSED(scatter(a, index, ones({2, 1, 4}), 0), "not part of");
  EXPECT_REFUSED(scatter(a, index, ones({2, 1, 3}), 2), "axis 2");
  EXPECT_REFUSED(scatter(a, Indices{index, index}, ones({2, 1, 1}), Axes{0}), "index arrays");
  EXPECT_REFUSED(scatter(a, Indices{index, index}, ones({2, 1, 1}), Axes{1, -1}), "twice");
  EXPECT_REFUSED(scatter(a, array({0.0f, 1.0f}), ones({2, 1, 3}), 0), "integers");
  EXPECT_REFUSED(scatter(a, array({true, false}), ones({2, 1, 3}), 0), "integers");
  EXPECT_REFUSED(scatter_max(astype(a, complex64), index, ones({2, 1, 3}), 0), "complex64");
  EXPECT_REFUSED(gather(a, index, 0, {1, 4}), "not part of");
  EXPECT_REFUSED(gather(a, index, 0, {1}), "not part of");
  EXPECT_REFUSED(gather(a, Indices{array({0, 1}), array({0, 1, 2})}, Axes{0, 1}, {1, 1}), "[2]");
  EXPECT_REFUSED(scatter_add_axis(a, array({0}), array(1.0f), 0), "rank");
  EXPECT_REFUSED(slice_update_add(a, ones({2}), {0, 0}, {4, 3}), "[2]");
}

TEST(Gather, OfAnEmptyAxisIsRefused) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    EXPECT_REFUSED(gather(zeros({0, 3}), array({0}), 0, {1, 3}), "not part of");
    EXPECT_REFUSED(take_along_axis(zeros({0, 3}), zeros({1, 3}, int32), 0).eval(), "out of range");
    EXPECT_REFUSED(put_along_axis(zeros({0, 3}), zeros({1, 3}, int32), array(1.0f), 0).eval(),
                   "out of range");
    EXPECT_EQ(gather(zeros({0, 3}), zeros({0}, int32), 0, {0, 3}).shape(), (Shape{0, 0, 3}));
  }
}

}  // namespace
}  // namespace tessera

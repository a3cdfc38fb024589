// Order: stability, NaN, lengths that take other ways through the kernels, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

// A fixed sequence without a pattern.
std::vector<float> scattered_floats(std::size_t count, std::uint32_t kinds) {
  std::vector<float> out;
  std::uint32_t state = 12345;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    out.push_back(static_cast<float>(static_cast<int>(state >> 8) % static_cast<int>(kinds)) - 3);
  }
  return out;
}

array from(const std::vector<float>& v) {
  return array(std::span<const float>(v), {static_cast<ShapeElem>(v.size())});
}

TEST(Sort, IsStableAtEveryLength) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    for (const std::size_t count : {1u, 2u, 3u, 5u, 31u, 64u, 65u, 511u, 512u, 1000u}) {
      const std::vector<float> v = scattered_floats(count, 7);
      std::vector<std::uint32_t> want(count);
      std::iota(want.begin(), want.end(), 0u);
      std::stable_sort(want.begin(), want.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return v[a] < v[b]; });
      EXPECT_EQ(values<std::uint32_t>(argsort(from(v))), want) << count << lowered;
      std::vector<float> ordered = v;
      std::stable_sort(ordered.begin(), ordered.end());
      EXPECT_EQ(values<float>(sort(from(v))), ordered) << count << lowered;
    }
  }
}

TEST(Sort, KeepsSignsOfZerosAndPutsNanLast) {
  const std::vector<float> got = values<float>(sort(array({0.0f, NAN, -0.0f, -1.0f, 0.0f})));
  EXPECT_EQ(got[0], -1.0f);
  EXPECT_FALSE(std::signbit(got[1]));
  EXPECT_TRUE(std::signbit(got[2]));
  EXPECT_FALSE(std::signbit(got[3]));
  EXPECT_TRUE(std::isnan(got[4]));
}

TEST(Sort, TakesWideTypes) {
  EXPECT_EQ(values<double>(sort(array({2.5, -1e300, 1e300, -0.5}))),
            (std::vector<double>{-1e300, -0.5, 2.5, 1e300}));
  EXPECT_EQ(values<std::int64_t>(sort(array({INT64_MAX, INT64_MIN, std::int64_t{-1}}))),
            (std::vector<std::int64_t>{INT64_MIN, -1, INT64_MAX}));
}

TEST(Sort, RefusesWhatHasNoOrderOrNoIndex) {
  const array a = zeros({2, 3});
  EXPECT_REFUSED(sort(a, 2), "axis 2");
  EXPECT_REFUSED(argsort(array(1.0f), 0), "rank 0");
  EXPECT_REFUSED(sort(astype(a, complex64)), "complex64");
  EXPECT_REFUSED(argsort(zeros({ShapeElem{1} << 33}, uint8)), "uint32");
  EXPECT_REFUSED(partition(a, 3, 1), "kth 3");
  EXPECT_REFUSED(argpartition(a, -4, 1), "kth -4");
  EXPECT_REFUSED(partition(zeros({0}), 0), "kth 0");
  EXPECT_REFUSED(topk(a, 7), "k 7");
  EXPECT_REFUSED(topk(a, -1, 0), "k -1");
  EXPECT_REFUSED(searchsorted(a, a), "one axis");
  EXPECT_REFUSED(searchsorted(array({1, 2}), a, "up"), "up");
  EXPECT_REFUSED(median(zeros({2, 0}), 1), "empty");
  EXPECT_REFUSED(median(a, std::vector<int>{0, -2}), "twice");
}

TEST(Median, OfHalvesDoesNotOverflow) {
  // MLX adds in float16 and gives inf.
  EXPECT_EQ(float(median(array({60000.0f, 60000.0f}, float16)).item<float16_t>()), 60000.0f);
}

TEST(Scan, OfNothingStartsAtTheEndsOfTheRange) {
  const array bytes = array({3, 200}, {2}, uint8);
  EXPECT_EQ(values<std::uint8_t>(cummin(bytes, 0, false, false)),
            (std::vector<std::uint8_t>{255, 3}));
  const array wide = array({std::int64_t{5}, std::int64_t{4}});
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    EXPECT_EQ(values<std::int64_t>(cummin(wide, 0, false, false)),
              (std::vector<std::int64_t>{INT64_MAX, 5}));
    EXPECT_EQ(values<std::int64_t>(cummax(wide, 0, true, false)),
              (std::vector<std::int64_t>{4, INT64_MIN}));
  }
}

TEST(Scan, RunsInPlaceWhenItMay) {
  // An exclusive scan reads each element before its place is written.
  for (const bool reverse : {false, true}) {
    EXPECT_EQ(values<float>(cumsum(array({1.0f, 2.0f, 3.0f, 4.0f}) + array(1.0f), reverse, false)),
              reverse ? (std::vector<float>{12, 9, 5, 0}) : (std::vector<float>{0, 2, 5, 9}));
  }
}

TEST(Scan, RefusesComplexWhereThereIsNoOrder) {
  const array z = astype(zeros({3}), complex64);
  EXPECT_REFUSED(cummax(z, 0), "complex64");
  EXPECT_REFUSED(cummin(z), "complex64");
  EXPECT_REFUSED(logcumsumexp(z), "floating");
  EXPECT_EQ(values<complex64_t>(cumprod(astype(array({2.0f, 3.0f}), complex64)))[1],
            complex64_t(6, 0));
}

TEST(LogCumSumExp, StaysExactOverLongSums) {
  const array x = zeros({1 << 20});
  const float last = slice(logcumsumexp(x), {-1}, {1 << 20}).item<float>();
  EXPECT_FLOAT_EQ(last, std::log(1048576.0f));
}

}  // namespace
}  // namespace tessera

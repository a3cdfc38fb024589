// What the goldens of random numbers cannot hold: default keys, threads, moments, refusals; and
// shifts that MLX leaves to the processor.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

TEST(RandomKeys, SequenceIsRepeatedSplitting) {
  random::KeySequence sequence(7);
  array state = random::key(7);
  for (int i = 0; i < 3; ++i) {
    const auto [next, drawn] = random::split(state);
    EXPECT_EQ(values<std::uint32_t>(sequence.next()), values<std::uint32_t>(drawn));
    state = next;
  }
}

TEST(RandomKeys, SeedRestartsThisThreadOnly) {
  random::seed(11);
  const auto first = values<float>(random::uniform({4}));
  const auto second = values<float>(random::uniform({4}));
  EXPECT_NE(first, second);
  std::vector<float> elsewhere;
  std::thread([&] {
    random::seed(11);
    elsewhere = values<float>(random::uniform({4}));
  }).join();
  EXPECT_EQ(elsewhere, first);
  random::seed(11);
  EXPECT_EQ(values<float>(random::uniform({4})), first);
}

TEST(RandomKeys, UnseededThreadsDrawDifferently) {
  std::vector<float> drawn[2];
  for (auto& out : drawn) {
    std::thread([&] { out = values<float>(random::normal({8})); }).join();
  }
  EXPECT_NE(drawn[0], drawn[1]);
}

TEST(RandomBits, DoNotDependOnThreadsOrLowering) {
  const array key = random::key(5);
  for (const int width : {1, 2, 4}) {
    const auto native = random::bits({100003}, width, key).to_host();
    const LoweredScope scope;
    const auto lowered = random::bits({100003}, width, key).to_host();
    ASSERT_EQ(native.nbytes(), lowered.nbytes());
    EXPECT_EQ(std::memcmp(native.data(), lowered.data(), native.nbytes()), 0) << width;
  }
}

TEST(RandomBits, RefuseBadArguments) {
  const array key = random::key(0);
  EXPECT_REFUSED(random::bits({2}, 3, key), "width 3");
  EXPECT_REFUSED(random::bits({2}, 8, key), "width 8");
  EXPECT_REFUSED(random::bits({2}, 4, array({1, 2})), "int32 [2]");
  EXPECT_REFUSED(random::bits({2}, 4, stack({key, key})), "[2, 2]");
  EXPECT_REFUSED(random::bits({-1}, 4, key), "negative");
  EXPECT_REFUSED(random::bits({ShapeElem{1} << 61, 2}, 4, key), "2^63");
  EXPECT_REFUSED(random::categorical(zeros({3, 4}), 1, -1, key), "-1 samples");
  EXPECT_REFUSED(random::uniform({3}, float64, key), "float64");
  EXPECT_REFUSED(random::normal({3}, int8, key), "int8");
  EXPECT_REFUSED(random::laplace({3}, int32, key), "int32");
  EXPECT_REFUSED(random::gumbel({3}, bool_, key), "bool");
}

TEST(RandomNumbers, HaveTheMomentsOfTheirDistribution) {
  const int n = 1 << 18;
  const auto moments = [](const array& x) {
    const double first = mean(x).item<float>();
    return std::pair{first, mean(square(x)).item<float>() - first * first};
  };
  const auto near = [](std::pair<double, double> got, double first, double second) {
    EXPECT_NEAR(got.first, first, 0.02);
    EXPECT_NEAR(got.second, second, 0.04);
  };
  const array key = random::key(1);
  near(moments(random::uniform({n}, key)), 0.5, 1.0 / 12);
  near(moments(random::normal({n}, key)), 0, 1);
  near(moments(random::laplace({n}, key)), 0, 2);
  near(moments(random::gumbel({n}, float32, key)), 0.577216, 1.644934);
  near(moments(astype(random::bernoulli(0.25, {n}, key), float32)), 0.25, 0.1875);
  near(moments(astype(random::randint(-2, 3, {n}, int32, key), float32)), 0, 2);
  const array bounded = random::truncated_normal(array(-1.0f), array(1.0f), {n}, float32, key);
  near(moments(bounded), 0, 0.291125);
  EXPECT_GE(min(bounded).item<float>(), -1.0f);
  EXPECT_LE(max(bounded).item<float>(), 1.0f);
}

TEST(RandomNumbers, ScalarsMeetTheKeyOnItsBackend) {
  const array key = random::key(9);
  EXPECT_EQ(values<float>(random::uniform(-1, 2, {5}, float32, key)),
            values<float>(random::uniform(array(-1.0f), array(2.0f), {5}, float32, key)));
  EXPECT_EQ(values<std::int32_t>(random::randint(-4, 4, {5}, int32, key)),
            values<std::int32_t>(random::randint(array(-4), array(4), {5}, int32, key)));
  EXPECT_EQ(random::bernoulli().shape(), Shape{});
  EXPECT_EQ(random::bernoulli(array({0.5f, 0.5f})).shape(), Shape{2});
}

TEST(Erfinv, OfFloat64IsRight) {
  for (const double x : {-0.999999999, -0.7, -1e-12, 1e-300, 0.3, 0.5, 0.9999}) {
    const double y = erfinv(array(x)).item<double>();
    EXPECT_NEAR(std::erf(y), x, 4e-16 + 4e-16 * std::abs(x));
    EXPECT_EQ(std::signbit(y), std::signbit(x));
  }
  EXPECT_EQ(erfinv(array(1.0)).item<double>(), INFINITY);
  EXPECT_EQ(erfinv(array(-1.0)).item<double>(), -INFINITY);
  EXPECT_TRUE(std::isnan(erfinv(array(-1.5)).item<double>()));
}

TEST(Shifts, PastTheWidthMoveEveryBitOut) {
  EXPECT_EQ(values<int>(array({1, -1, -8, 100}) << array({31, 32, 33, -1})),
            (std::vector<int>{INT32_MIN, 0, 0, 0}));
  EXPECT_EQ(values<int>(array({1, -1, -8, 100, INT32_MIN}) >> array({31, 32, -1, 64, 31})),
            (std::vector<int>{0, -1, -1, 0, -1}));
  const array bytes({1, 255, 8}, {3}, uint8);
  EXPECT_EQ(values<std::uint8_t>(bytes << array({7, 8, 200}, {3}, uint8)),
            (std::vector<std::uint8_t>{128, 0, 0}));
  EXPECT_EQ(values<std::uint8_t>(bytes >> array({0, 7, 8}, {3}, uint8)),
            (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ((array(std::int8_t{-128}) >> 7).item<std::int8_t>(), -1);
  EXPECT_EQ((array(std::uint64_t{1}) << 63).item<std::uint64_t>(), std::uint64_t{1} << 63);
}

TEST(BitwiseOperators, TakeScalarsWeakly) {
  const array x({12, 10}, {2}, uint8);
  EXPECT_EQ(values<std::uint8_t>((x & 9) | 2), (std::vector<std::uint8_t>{10, 10}));
  EXPECT_EQ(values<std::uint8_t>(~x ^ 1), (std::vector<std::uint8_t>{242, 244}));
  EXPECT_EQ(values<std::uint8_t>(1 << x), (std::vector<std::uint8_t>{0, 0}));
  EXPECT_REFUSED(x & 1.5f, "float32");
  EXPECT_REFUSED(transpose(ones({2, 3}, int32)) & ones({2, 3}, int32), "[3, 2] and [2, 3]");
}

TEST(BitwiseOperators, ReadStridedInputs) {
  const array x = reshape(arange(0, 12), {3, 4});
  const array want = array({1, 5, 9, 0, 4, 8}, {2, 3}) ^ 3;
  EXPECT_EQ(values<int>(slice(transpose(x), {1, 0}, {-5, 3}, {-1, 1}) ^ array({3, 3, 3})),
            values<int>(want));
}

}  // namespace
}  // namespace tessera

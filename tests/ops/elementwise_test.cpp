// Elementwise functions where goldens do not reach: operators, traps of the processor, overflow.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

TEST(Remainder, OperatorKeepsTheArraysDtype) {
  EXPECT_EQ(values<int>(array({7, -7}) % 4), (std::vector<int>{3, 1}));
  EXPECT_EQ((array({7.0f}, float16) % 4).dtype(), float16);
  EXPECT_EQ((array({7}) % 4.5f).dtype(), float32);
  EXPECT_EQ(values<int>(7 % array({4, -4})), (std::vector<int>{3, -1}));
}

TEST(Remainder, OfWhatWouldTrapIsDefined) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array least({INT32_MIN, 5, -5, 5});
    const array by({-1, 0, 0, -3});
    EXPECT_EQ(values<int>(remainder(least, by)), (std::vector<int>{0, 5, -5, -1}));
    EXPECT_EQ(values<int>(floor_divide(least, by)), (std::vector<int>{INT32_MIN, 0, 0, -2}));
    const array bytes({200, 7}, {2}, uint8);
    EXPECT_EQ(values<std::uint8_t>(remainder(bytes, array({7, 0}, {2}, uint8))),
              (std::vector<std::uint8_t>{4, 7}));
  }
}

TEST(Remainder, RefusesWhatItCannotDivide) {
  EXPECT_REFUSED(remainder(zeros({2}), zeros({3})), "[3]");
  EXPECT_REFUSED(remainder(zeros({2}, complex64), zeros({2}, complex64)), "complex64");
}

TEST(Hyperbolic, StayFiniteUpToTheEndOfTheRange) {
  EXPECT_NEAR(sinh(array(89.0f)).item<float>(), 2.2448e38f, 1e34f);
  EXPECT_NEAR(cosh(array(-89.0f)).item<float>(), 2.2448e38f, 1e34f);
  EXPECT_NEAR(arcsinh(array(-3e38f)).item<float>(), -89.2899f, 1e-3f);
  EXPECT_NEAR(arccosh(array(3e38f)).item<float>(), 89.2899f, 1e-3f);
  EXPECT_FLOAT_EQ(arcsinh(array(1e-30f)).item<float>(), 1e-30f);
}

TEST(Hyperbolic, OfFloat64IsFloat64) {
  for (const double x : {-3.0, -1e-9, 0.25, 40.0}) {
    EXPECT_NEAR(sinh(array(x)).item<double>() / std::sinh(x), 1.0, 1e-14) << x;
    EXPECT_NEAR(cosh(array(x)).item<double>() / std::cosh(x), 1.0, 1e-14) << x;
    EXPECT_NEAR(arcsinh(array(x)).item<double>() / std::asinh(x), 1.0, 1e-14) << x;
    EXPECT_NEAR(arctan(array(x)).item<double>() / std::atan(x), 1.0, 1e-15) << x;
    EXPECT_NEAR(expm1(array(x)).item<double>() / std::expm1(x), 1.0, 1e-15) << x;
  }
}

TEST(ArcTan2, GivesEveryQuarterWhenLowered) {
  const LoweredScope scope;
  for (const float y : {-2.0f, -0.0f, 0.0f, 0.3f, INFINITY}) {
    for (const float x : {-INFINITY, -1.0f, -0.0f, 0.0f, 0.7f}) {
      const float got = arctan2(array(y), array(x)).item<float>();
      EXPECT_NEAR(got, std::atan2(y, x), 4e-7f) << y << " " << x;
      EXPECT_EQ(std::signbit(got), std::signbit(y)) << y << " " << x;
    }
  }
}

TEST(Round, TakesDecimalsOnEitherSideOfThePoint) {
  EXPECT_FLOAT_EQ(round(array(1234.567f), 2).item<float>(), 1234.57f);
  EXPECT_EQ(round(array(1250), -2).item<int>(), 1200);
  EXPECT_EQ(round(array(std::int64_t{1} << 40)).item<std::int64_t>(), std::int64_t{1} << 40);
}

TEST(Clip, NeedsALimit) {
  EXPECT_REFUSED(clip(array({1, 2})), "a_min");
  EXPECT_REFUSED(clip(zeros({2}), zeros({3})), "[3]");
}

TEST(NanToNum, TakesTheEndsOfTheDtype) {
  const array worst({INFINITY, -INFINITY, NAN});
  EXPECT_EQ(values<double>(nan_to_num(astype(worst, float64))),
            (std::vector<double>{std::numeric_limits<double>::max(),
                                 std::numeric_limits<double>::lowest(), 0.0}));
  EXPECT_REFUSED(nan_to_num(astype(worst, complex64)), "complex64");
}

TEST(Closeness, RefusesShapesThatDoNotBroadcast) {
  EXPECT_REFUSED(isclose(zeros({2}), zeros({3})), "[3]");
  EXPECT_REFUSED(allclose(zeros({2}), zeros({3})), "[3]");
  EXPECT_FALSE(array_equal(zeros({2}), zeros({1})).item<bool>());
}

}  // namespace
}  // namespace tessera

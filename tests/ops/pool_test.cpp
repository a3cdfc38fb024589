// Pooling and upsampling where they differ from MLX, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

TEST(MeanPool, AccumulatesHalvesInFloat) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array pooled = mean_pool(ones({1, 4096, 2}, float16), ones({1, 4096}, bool_));
    EXPECT_EQ(float(values<float16_t>(pooled)[1]), 1.0f) << lowered;
  }
}

TEST(MeanPool, RefusesOtherMasks) {
  const array x = zeros({2, 3, 4});
  EXPECT_REFUSED(mean_pool(x, ones({2, 3})), "mask");
  EXPECT_REFUSED(mean_pool(x, ones({2, 4}, bool_)), "[B, T]");
  EXPECT_REFUSED(mean_pool(zeros({3, 4}), ones({3}, bool_)), "[B, T, D]");
  EXPECT_REFUSED(mean_pool(astype(x, int32), ones({2, 3}, bool_)), "floating");
}

TEST(MaxPool, PadsIntegersWithTheirLeast) {
  // MLX casts -inf to the dtype, which is 0 for int8 and true for bool.
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array bytes = array({-5, -7}, {1, 2, 1}, int8);
    EXPECT_EQ(values<std::int8_t>(max_pool1d(bytes, 2, 2, 1)), (std::vector<std::int8_t>{-5, -7}));
    const array flags = array({false, false}, {1, 2, 1});
    EXPECT_EQ(values<bool>(max_pool1d(flags, 2, 2, 1)), (std::vector<bool>{false, false}));
  }
}

TEST(Pool, RefusesWindowsThatDoNotFit) {
  const array x = zeros({1, 4, 4, 2});
  EXPECT_REFUSED(max_pool2d(x, 5), "does not fit");
  EXPECT_REFUSED(max_pool1d(x, 2), "1 spatial axes");
  EXPECT_REFUSED(avg_pool2d(x, 2, 0), "positive");
  EXPECT_REFUSED(avg_pool2d(x, 2, 1, -1), "padding");
  EXPECT_REFUSED(max_pool2d(x, Shape{2, 2, 2}), "2 spatial axes");
  EXPECT_REFUSED(max_pool2d(astype(x, complex64), 2), "complex64");
}

TEST(Upsample, RefusesScalesThatAreNone) {
  const array x = zeros({1, 4, 2});
  EXPECT_REFUSED(upsample_nearest(x, {0.0}), "scale 0");
  EXPECT_REFUSED(upsample_linear(x, {-1.0}), "scale -1");
  EXPECT_REFUSED(upsample_cubic(x, {std::nan("")}), "scale nan");
  EXPECT_REFUSED(upsample_cubic(x, {1e30}), "scale 1e+30");
  EXPECT_REFUSED(upsample_linear(x, {2.0}, true, true), "antialias");
  EXPECT_REFUSED(upsample_linear(x, {2.0, 2.0}), "2 scale factors");
}

TEST(Upsample, NearestMayLeaveNothing) {
  EXPECT_EQ(upsample_nearest(zeros({1, 4, 2}), {0.1}).shape(), (Shape{1, 0, 2}));
}

}  // namespace
}  // namespace tessera

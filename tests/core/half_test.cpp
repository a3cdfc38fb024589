#include "tessera/core/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tessera {
namespace {

TEST(Half, EveryFloat16SurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = float16_t::to_float(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float(float16_t(value))));
    } else {
      ASSERT_EQ(float16_t(value).bits, bits) << value;
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(float(float16_t(2049.0f)), 2048.0f);  // halfway, even mantissa below
  EXPECT_EQ(float(float16_t(2051.0f)), 2052.0f);  // halfway, even mantissa above
  EXPECT_EQ(float16_t(65519.0f).bits, 0x7bff);    // largest that rounds to 65504
  EXPECT_EQ(float16_t(65520.0f).bits, 0x7c00);    // halfway: infinity
  EXPECT_EQ(float16_t(0x1p-25f).bits, 0);         // halfway to the least subnormal
  EXPECT_EQ(float16_t(0x1.8p-25f).bits, 1);
  EXPECT_EQ(float16_t(-0.0f).bits, 0x8000);
  EXPECT_EQ(bfloat16_t(1.00390625f).bits, 0x3f80);  // 1 + 2^-8: halfway, to even
  EXPECT_EQ(bfloat16_t(1.01171875f).bits, 0x3f82);  // 1 + 3 * 2^-8
  EXPECT_EQ(bfloat16_t(std::numeric_limits<float>::max()).bits, 0x7f80);
}

TEST(Half, BulkConversionEqualsScalar) {
  std::vector<float> values;
  for (int i = -2000; i < 2000; ++i) values.push_back(std::ldexp(1.0f + 0.001f * i, i % 30));
  values.push_back(std::numeric_limits<float>::infinity());
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  std::vector<float16_t> half(values.size());
  from_float(values.data(), half.data(), values.size());
  std::vector<float> back(values.size());
  to_float(half.data(), back.data(), half.size());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    ASSERT_EQ(half[i].bits, float16_t(values[i]).bits) << values[i];
    ASSERT_EQ(back[i], float(half[i]));
  }
  EXPECT_TRUE(std::isnan(back.back()));
}

}  // namespace
}  // namespace tessera

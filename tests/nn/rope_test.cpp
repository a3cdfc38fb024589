// Rotary frequencies as configs describe them.
#include "tessera/nn/rope.h"

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::nn {
namespace {

// Llama 3.1's published scaling; `factor` and head size differ between its two sizes here.
RopeConfig llama3(int dims, float factor) {
  RopeConfig c;
  c.dims = dims;
  c.base = 500000.0f;
  c.type = "llama3";
  c.factor = factor;
  c.low_freq_factor = 1;
  c.high_freq_factor = 4;
  c.original_max_position_embeddings = 8192;
  return c;
}

void expect_frequencies(const RopeConfig& config, const std::map<int, double>& expected) {
  const std::vector<float> got = inverse_frequencies(config);
  ASSERT_EQ(got.size(), static_cast<std::size_t>(config.dims) / 2);
  for (const auto& [index, value] : expected) {
    EXPECT_NEAR(got[index] / value, 1.0, 1e-6) << "index " << index;
  }
}

TEST(RopeFrequencies, Llama3WithSmallHeads) {
  expect_frequencies(llama3(64, 32), {{0, 1.0},
                                      {14, 3.211445995e-03},
                                      {15, 1.290547928e-03},
                                      {16, 4.295567966e-04},
                                      {17, 9.708287803e-05},
                                      {18, 1.946163818e-05},
                                      {31, 9.418306725e-08}});
}

TEST(RopeFrequencies, Llama3WithLargeHeads) {
  expect_frequencies(llama3(128, 8), {{28, 3.211445995e-03},
                                      {29, 2.166570764e-03},
                                      {30, 1.371893568e-03},
                                      {31, 8.567514129e-04},
                                      {32, 5.248461610e-04},
                                      {33, 3.126937504e-04},
                                      {34, 1.785078128e-04},
                                      {35, 9.556212354e-05}});
}

TEST(RopeFrequencies, OutsideTheBandLlama3KeepsOrDividesExactly) {
  RopeConfig plain = llama3(128, 8);
  plain.type = "default";
  const std::vector<float> base = inverse_frequencies(plain);
  const std::vector<float> scaled = inverse_frequencies(llama3(128, 8));
  for (int i = 0; i <= 28; ++i) EXPECT_EQ(scaled[i], base[i]) << i;
  for (int i = 35; i < 64; ++i) EXPECT_EQ(scaled[i], base[i] / 8) << i;
}

TEST(RopeFrequencies, LinearDividesAllAndDynamicIsDefault) {
  RopeConfig c;
  c.dims = 8;
  EXPECT_NEAR(inverse_frequencies(c)[1], 0.1, 1e-8);
  c.type = "linear";
  c.factor = 4;
  EXPECT_NEAR(inverse_frequencies(c)[1], 0.025, 1e-8);
  c.type = "dynamic";
  EXPECT_NEAR(inverse_frequencies(c)[1], 0.1, 1e-8);
}

TEST(RopeFrequencies, RefuseWhatTheyDoNotKnow) {
  const auto refuses = [](const RopeConfig& c, const char* mention) {
    try {
      inverse_frequencies(c);
      ADD_FAILURE() << "accepted; expected a word on " << mention;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
      EXPECT_NE(std::string(e.what()).find(mention), std::string::npos) << e.what();
    }
  };
  RopeConfig c;
  c.dims = 8;
  c.type = "spiral";
  refuses(c, "\"spiral\"");
  c = llama3(7, 8);
  refuses(c, "7");
  c = llama3(0, 8);
  refuses(c, "dims");
  for (const float bad : {0.0f, -1.0f, NAN, INFINITY}) {
    c = llama3(8, bad);
    refuses(c, "factor");
    c = llama3(8, 8);
    c.base = bad;
    refuses(c, "base");
  }
  c = llama3(8, 8);
  c.high_freq_factor = c.low_freq_factor;
  refuses(c, "high_freq_factor");
  c = llama3(8, 8);
  c.low_freq_factor = NAN;
  refuses(c, "low_freq_factor");
  c = llama3(8, 8);
  c.original_max_position_embeddings = 0;
  refuses(c, "original");
  EXPECT_THROW(Rope(llama3(8, 8), {1.0f, 2.0f}), Error);
}

TEST(Rope, TurnsByItsFrequenciesFromTheOffset) {
  const RopeConfig config = llama3(64, 32);
  const Rope rope(config);
  const array x = ones({1, 1, 1, 64});
  const std::vector<float> f = inverse_frequencies(config);
  const array y = rope(x, array(3));
  const auto got = y.to_host().values<float>();
  for (int i = 0; i < 32; ++i) {
    const double angle = 3.0 * f[i];
    EXPECT_NEAR(got[i], std::cos(angle) - std::sin(angle), 2e-6) << i;
    EXPECT_NEAR(got[i + 32], std::cos(angle) + std::sin(angle), 2e-6) << i;
  }
}

TEST(Rope, DivisorsSlowTheTurnsAsGgufSays) {
  RopeConfig config;
  config.dims = 4;
  const Rope divided(config, {2.0f, 4.0f});
  const array x({1.0f, 2.0f, 3.0f, 4.0f}, {1, 1, 1, 4});
  const array expected = fast::rope(x, 4, false, std::nullopt, 1.0f, 8, array({2.0f, 400.0f}));
  EXPECT_LT(testing::max_difference(divided(x, array(8)), expected.to_host()), 1e-6f);
}

TEST(Rope, RowsOfABatchStartWhereTheyAreTold) {
  RopeConfig config;
  config.dims = 8;
  const Rope rope(config);
  const array x = reshape(arange(0.0, 48.0, float32), {2, 1, 3, 8});
  const array both = rope(x, array({5, -2}));
  for (int b = 0; b < 2; ++b) {
    const array row = slice(x, {b, 0, 0, 0}, {b + 1, 1, 3, 8});
    const array alone = rope(row, array(b == 0 ? 5 : -2));
    const array got = slice(both, {b, 0, 0, 0}, {b + 1, 1, 3, 8});
    EXPECT_EQ(testing::max_difference(got, alone.to_host()), 0.0f) << b;
  }
}

}  // namespace
}  // namespace tessera::nn

#include "tessera/backends/cpu/isa/vector_math.h"

#include <bit>
#include <cmath>
#include <limits>

#include "guarded.h"

namespace tessera::cpu::isa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class VectorMath : public OnIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, VectorMath, testing::ValuesIn(available_isas()), isa_name);

using Function = void (*)(const float*, float*, std::int64_t);

/// Every 1009th float of either sign, zeros, subnormals and infinities among them.
std::vector<float> sample() {
  std::vector<float> values = {0.0f, -0.0f, kInfinity, -kInfinity};
  for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 1009) {
    values.push_back(std::bit_cast<float>(bits));
    values.push_back(-values.back());
  }
  return values;
}

/// Distance from the true value in units of the last place of the nearest float.
double ulps(float got, double truth) {
  const float nearest = static_cast<float>(truth);
  if (got == nearest) return 0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return kInfinity;
  const int exponent = std::max(-126, std::ilogb(nearest == 0 ? 1e-45f : nearest));
  return std::abs(got - truth) / std::ldexp(1.0, exponent - 23);
}

void expect_within_2_ulps(Function function, double (*truth)(double)) {
  const auto x = sample();
  std::vector<float> y(x.size());
  function(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  double worst = 0;
  float at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], truth(x[i]));
    if (!(error <= worst)) {
      worst = error;
      at = x[i];
    }
  }
  EXPECT_LE(worst, 2) << "at " << at;
  testing::Test::RecordProperty("worst_ulps", std::to_string(worst));
}

TEST_P(VectorMath, ExpIsWithin2Ulps) {
  expect_within_2_ulps(vec_exp, [](double x) { return std::exp(x); });
}
TEST_P(VectorMath, TanhIsWithin2Ulps) {
  expect_within_2_ulps(vec_tanh, [](double x) { return std::tanh(x); });
}
TEST_P(VectorMath, ErfIsWithin2Ulps) {
  expect_within_2_ulps(vec_erf, [](double x) { return std::erf(x); });
}
TEST_P(VectorMath, SigmoidIsWithin2Ulps) {
  expect_within_2_ulps(vec_sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
}

TEST_P(VectorMath, SiluAndGeluFollowTheirFormulas) {
  std::vector<float> x;
  for (float v = -12; v <= 12; v += 0.0173f) x.push_back(v);
  std::vector<float> y(x.size());
  const auto n = static_cast<std::int64_t>(x.size());
  const auto check = [&](auto truth) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(y[i], truth(double{x[i]}), 3e-7 * std::max(1.0f, std::abs(x[i]))) << x[i];
    }
  };
  vec_silu(x.data(), y.data(), n);
  check([](double v) { return v / (1 + std::exp(-v)); });
  vec_gelu(x.data(), y.data(), n);
  check([](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); });
  vec_gelu_tanh(x.data(), y.data(), n);
  check([](double v) {
    return v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  });
}

TEST_P(VectorMath, NanStaysNanAndLimitsAreExact) {
  const std::vector<float> x = {kNan, kInfinity, -kInfinity};
  std::vector<float> y(3);
  const auto expect = [&](Function function, float high, float low) {
    function(x.data(), y.data(), 3);
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[1], high);
    EXPECT_EQ(y[2], low);
  };
  expect(vec_exp, kInfinity, 0);
  expect(vec_tanh, 1, -1);
  expect(vec_erf, 1, -1);
  expect(vec_sigmoid, 1, 0);
  vec_silu(x.data(), y.data(), 3);
  EXPECT_TRUE(std::isnan(y[0]) && y[1] == kInfinity && std::isnan(y[2]));
}

TEST_P(VectorMath, EveryLengthStaysInItsBufferAndMayBeInPlace) {
  std::mt19937 rng(1);
  for (std::int64_t n = 0; n < 70; ++n) {
    const auto x = random_floats(n, rng);
    Guarded<float> buffer(x);
    vec_exp(buffer.data(), buffer.data(), n);
    double sum = 0, squares = 0;
    float max = -kInfinity;
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_LE(ulps(buffer[i], std::exp(double{x[i]})), 2);
      sum += x[i];
      squares += double{x[i]} * x[i];
      max = std::max(max, x[i]);
    }
    const Guarded<float> again(x);
    ASSERT_NEAR(vec_sum(again.data(), n), sum, 1e-5);
    ASSERT_NEAR(vec_sum_squares(again.data(), n), squares, 1e-4);
    ASSERT_EQ(vec_max(again.data(), n), max);
    if (n > 0) {
      buffer[n / 2] = kNan;
      ASSERT_TRUE(std::isnan(vec_max(buffer.data(), n)));
    }
  }
}

TEST_P(VectorMath, HalvesWidenAndNarrowAsTheirTypesDo) {
  std::vector<std::uint16_t> all(65536);
  for (int i = 0; i < 65536; ++i) all[i] = static_cast<std::uint16_t>(i);
  const Guarded<std::uint16_t> halves(std::vector<std::uint16_t>(all.begin(), all.end() - 3));
  std::vector<float> wide(halves.size());
  std::vector<std::uint16_t> back(halves.size());
  for (FloatType type : {FloatType::f16, FloatType::bf16}) {
    const bool f16 = type == FloatType::f16;
    vec_widen(type, halves.data(), wide.data(), halves.size());
    vec_narrow(type, wide.data(), back.data(), halves.size());
    for (std::int64_t i = 0; i < halves.size(); ++i) {
      const float truth = f16 ? float16_t::to_float(halves[i]) : bfloat16_t::to_float(halves[i]);
      if (std::isnan(truth)) {
        ASSERT_TRUE(std::isnan(wide[i]));
      } else {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(truth));
        ASSERT_EQ(back[i], halves[i]);
      }
    }
    const auto x = sample();
    std::vector<std::uint16_t> narrow(x.size());
    vec_narrow(type, x.data(), narrow.data(), static_cast<std::int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(narrow[i], f16 ? float16_t::from_float(x[i]) : bfloat16_t::from_float(x[i]));
    }
  }
}

}  // namespace
}  // namespace tessera::cpu::isa

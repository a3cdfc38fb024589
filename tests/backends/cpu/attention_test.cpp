#include "tessera/backends/cpu/isa/attention.h"

#include <cmath>
#include <limits>

#include "guarded.h"

namespace tessera::cpu::isa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Attention : public OnIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, Attention, testing::ValuesIn(available_isas()), isa_name);

TEST_P(Attention, BlocksOfKeysGiveTheWholeSoftmax) {
  std::mt19937 rng(1);
  for (FloatType type : {FloatType::f32, FloatType::f16, FloatType::bf16}) {
    for (std::int64_t d : {1, 8, 17, 64, 80, 129}) {
      for (std::int64_t g : {1, 2, 3, 4, 6}) {
        const std::int64_t s = 37, block = 10;
        const float scale = 1 / std::sqrt(static_cast<float>(d));
        const Guarded<float> q(random_floats(g * d, rng));
        auto k = random_floats(s * d, rng), v = random_floats(s * d, rng);
        std::vector<std::uint16_t> k_bits, v_bits;
        if (type != FloatType::f32) {
          k_bits = stored_halves(type, k);
          v_bits = stored_halves(type, v);
        }
        const Guarded<float> k_floats(k), v_floats(v);
        const Guarded<std::uint16_t> k_halves(k_bits), v_halves(v_bits);
        const auto rows = [&](const Guarded<float>& floats, const Guarded<std::uint16_t>& halves,
                              std::int64_t begin, std::int64_t count) -> CacheRows {
          const void* data = floats.data() + begin * d;
          if (type != FloatType::f32) data = halves.data() + begin * d;
          return {data, type, count, d};
        };

        Guarded<float> out(g * d), scores(g * block);
        std::vector<float> max(g, -kInfinity), sum(g, 0.0f);
        for (std::int64_t begin = 0; begin < s; begin += block) {
          const std::int64_t count = std::min(block, s - begin);
          attention_scores({q.data(), g, d}, rows(k_floats, k_halves, begin, count), d, scale,
                           scores.data(), block);
          for (std::int64_t i = 0; i < g; ++i) {
            const float factor = softmax_step(scores.data() + i * block, count, &max[i], &sum[i]);
            for (std::int64_t l = 0; l < d; ++l) out[i * d + l] *= factor;
          }
          attention_values({scores.data(), g, block}, rows(v_floats, v_halves, begin, count), d,
                           out.data(), d, begin > 0);
        }
        for (std::int64_t i = 0; i < g; ++i) {
          std::vector<double> weights(s);
          double total = 0;
          for (std::int64_t j = 0; j < s; ++j) {
            double dot = 0;
            for (std::int64_t l = 0; l < d; ++l) dot += double{q[i * d + l]} * k[j * d + l];
            weights[j] = std::exp(dot * scale);
            total += weights[j];
          }
          for (std::int64_t l = 0; l < d; ++l) {
            double value = 0;
            for (std::int64_t j = 0; j < s; ++j) value += weights[j] / total * v[j * d + l];
            ASSERT_NEAR(out[i * d + l] / sum[i], value, 2e-6 * s) << d << " " << g;
          }
        }
      }
    }
  }
}

TEST_P(Attention, MaskedBlocksLeaveNothing) {
  float max = -kInfinity, sum = 0;
  std::vector<float> masked(19, -kInfinity);
  EXPECT_EQ(softmax_step(masked.data(), 19, &max, &sum), 1.0f);
  EXPECT_EQ(masked, std::vector<float>(19, 0.0f));
  EXPECT_EQ(sum, 0.0f);
  std::vector<float> some = {1.0f, -kInfinity, 1.0f};
  EXPECT_EQ(softmax_step(some.data(), 3, &max, &sum), 0.0f);
  EXPECT_EQ(some, (std::vector<float>{1.0f, 0.0f, 1.0f}));
  EXPECT_EQ(sum, 2.0f);
  masked.assign(19, -kInfinity);
  EXPECT_EQ(softmax_step(masked.data(), 19, &max, &sum), 1.0f);
  EXPECT_EQ(sum, 2.0f);
  EXPECT_EQ(softmax_step(nullptr, 0, &max, &sum), 1.0f);
}

TEST_P(Attention, NanScoresMakeNan) {
  float max = -kInfinity, sum = 0;
  std::vector<float> scores(20, 0.5f);
  scores[13] = std::numeric_limits<float>::quiet_NaN();
  softmax_step(scores.data(), 20, &max, &sum);
  EXPECT_TRUE(std::isnan(sum));
}

}  // namespace
}  // namespace tessera::cpu::isa

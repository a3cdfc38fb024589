#include <cmath>
#include <limits>

#include "guarded.h"
#include "tessera/backends/cpu/isa/matmul.h"
#include "tessera/core/error.h"

namespace tessera::cpu::isa {
namespace {

constexpr float kGuard = -77777.0f;

/// What y should be, and the sum of |w x| that scales its error.
struct Expected {
  double value, magnitude;
};

Expected expected_dot(const float* x, const float* w, std::int64_t k) {
  Expected e{0, 0};
  for (std::int64_t i = 0; i < k; ++i) {
    const double product = static_cast<double>(x[i]) * w[i];
    e.value += product;
    e.magnitude += std::abs(product);
  }
  return e;
}

class Linear : public OnIsa {
 protected:
  ThreadPool one_{1};
};
INSTANTIATE_TEST_SUITE_P(Isa, Linear, testing::ValuesIn(available_isas()), isa_name);

TEST_P(Linear, FloatWeightsMatchDoubleSumsAtEverySize) {
  std::mt19937 rng(1);
  for (FloatType type : {FloatType::f32, FloatType::f16, FloatType::bf16}) {
    for (std::int64_t k : {1, 7, 8, 15, 17, 31, 33, 63, 65, 129, 700, 1291}) {
      for (std::int64_t m : {1, 2, 3, 4, 5, 7, 13}) {
        for (std::int64_t n : {1, 2, 3, 5, 17}) {
          const auto x = random_floats(m * k, rng);
          auto w = random_floats(n * k, rng);
          const auto bias = random_floats(n, rng);
          const Guarded<float> xs(x), biases(bias);
          std::vector<std::uint16_t> halves;
          if (type != FloatType::f32) halves = stored_halves(type, w);
          const Guarded<float> floats(w);
          const Guarded<std::uint16_t> packed(halves);
          const void* weights = floats.data();
          if (type != FloatType::f32) weights = packed.data();
          Guarded<float> y(m * n);
          linear(one_,
                 {.m = m,
                  .n = n,
                  .k = k,
                  .x = xs.data(),
                  .bias = biases.data(),
                  .y = y.data(),
                  .alpha = 0.5f},
                 type, weights);
          for (std::int64_t i = 0; i < m * n; ++i) {
            const Expected e = expected_dot(&x[i / n * k], &w[i % n * k], k);
            ASSERT_NEAR(y[i], 0.5 * e.value + bias[i % n], 1e-6 * (e.magnitude + 1))
                << "type " << static_cast<int>(type) << " m " << m << " n " << n << " k " << k;
          }
        }
      }
    }
  }
}

TEST_P(Linear, PackedWeightsMatchDoubleSumsOverTheReferenceExpansion) {
  std::mt19937 rng(2);
  for (QuantType type : kQuants) {
    const std::int64_t block = block_size(type);
    for (std::int64_t k : {block, 2 * block, 5 * block, 9 * block}) {
      for (std::int64_t m : {1, 2, 3, 4, 5, 9}) {
        for (std::int64_t n : {1, 3, 4, 13}) {
          const Guarded<float> x(random_floats(m * k, rng));
          const Guarded<std::byte> w(random_blocks(type, n, k, rng));
          Guarded<float> y(m * n);
          linear_quantized(one_, {.m = m, .n = n, .k = k, .x = x.data(), .y = y.data()}, type,
                           w.data());
          std::vector<float> wide(k);
          for (std::int64_t j = 0; j < n; ++j) {
            dequantize_row(type, w.data() + j * row_bytes(type, k), wide.data(), k);
            for (std::int64_t i = 0; i < m; ++i) {
              const Expected e = expected_dot(x.data() + i * k, wide.data(), k);
              ASSERT_NEAR(y[i * n + j], e.value, 1e-6 * e.magnitude)
                  << to_string(type) << " m " << m << " n " << n << " k " << k;
            }
          }
        }
      }
    }
  }
}

TEST_P(Linear, PackedWeightsGiveTheBitsOfTheirExpansionInAPrompt) {
  std::mt19937 rng(3);
  for (QuantType type : kQuants) {
    const std::int64_t k = 1536, n = 37;
    const auto w = random_blocks(type, n, k, rng);
    std::vector<float> wide(n * k);
    for (std::int64_t j = 0; j < n; ++j) {
      dequantize_row(type, w.data() + j * row_bytes(type, k), &wide[j * k], k);
    }
    for (std::int64_t m : {5, 150}) {
      const auto x = random_floats(m * k, rng);
      std::vector<float> packed(m * n), floats(m * n);
      linear_quantized(one_, {.m = m, .n = n, .k = k, .x = x.data(), .y = packed.data()}, type,
                       w.data());
      linear(one_, {.m = m, .n = n, .k = k, .x = x.data(), .y = floats.data()}, FloatType::f32,
             wide.data());
      ASSERT_EQ(packed, floats) << to_string(type) << " m " << m;
    }
  }
}

TEST_P(Linear, ARowGivesTheSameBitsAloneAsAmongOthers) {
  std::mt19937 rng(4);
  const std::int64_t k = 1311, n = 29, most = 140;
  const auto x = random_floats(most * k, rng), w = random_floats(n * k, rng);
  std::vector<float> all(most * n);
  linear(one_, {.m = most, .n = n, .k = k, .x = x.data(), .y = all.data()}, FloatType::f32,
         w.data());
  for (std::int64_t m = 1; m <= 9; ++m) {
    std::vector<float> some(m * n);
    linear(one_, {.m = m, .n = n, .k = k, .x = x.data(), .y = some.data()}, FloatType::f32,
           w.data());
    ASSERT_EQ(some, std::vector<float>(all.begin(), all.begin() + m * n)) << m;
  }
}

TEST_P(Linear, AStepOfPackedWeightsGivesTheSameBitsAloneAsAmongOthers) {
  std::mt19937 rng(6);
  const std::int64_t k = 768, n = 29, most = 4;
  for (QuantType type : kQuants) {
    const auto w = random_blocks(type, n, k, rng);
    const auto x = random_floats(most * k, rng);
    std::vector<float> all(most * n);
    linear_quantized(one_, {.m = most, .n = n, .k = k, .x = x.data(), .y = all.data()}, type,
                     w.data());
    for (std::int64_t i = 0; i < most; ++i) {
      std::vector<float> alone(n);
      linear_quantized(one_, {.m = 1, .n = n, .k = k, .x = &x[i * k], .y = alone.data()}, type,
                       w.data());
      ASSERT_EQ(alone, std::vector<float>(&all[i * n], &all[i * n] + n)) << to_string(type);
    }
  }
}

TEST_P(Linear, ResultsDoNotDependOnTheThreads) {
  std::mt19937 rng(5);
  const std::int64_t k = 768, n = 333;
  for (std::int64_t m : {1, 3, 40}) {
    const auto x = random_floats(m * k, rng);
    const auto w = random_blocks(QuantType::q4_k, n, k, rng);
    for (QuantCompute compute : {QuantCompute::precise, QuantCompute::fast}) {
      std::vector<float> first;
      for (int threads : {1, 2, 3, 5}) {
        ThreadPool pool(threads);
        std::vector<float> y(m * n);
        linear_quantized(pool, {.m = m, .n = n, .k = k, .x = x.data(), .y = y.data()},
                         QuantType::q4_k, w.data(), compute);
        if (threads == 1) first = y;
        ASSERT_EQ(y, first) << threads << " threads, m " << m;
      }
    }
  }
}

TEST_P(Linear, StridesLeaveTheGapsAlone) {
  std::mt19937 rng(6);
  const std::int64_t m = 6, n = 5, k = 19, x_stride = 23, w_stride = 21, y_stride = 9;
  const auto x = random_floats(m * x_stride, rng), w = random_floats(n * w_stride, rng);
  for (std::int64_t rows : {std::int64_t{2}, m}) {
    std::vector<float> y(m * y_stride, kGuard);
    linear(one_,
           {.m = rows,
            .n = n,
            .k = k,
            .x = x.data(),
            .x_stride = x_stride,
            .y = y.data(),
            .y_stride = y_stride},
           FloatType::f32, w.data(), w_stride);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < y_stride; ++j) {
        if (i < rows && j < n) {
          const Expected e = expected_dot(&x[i * x_stride], &w[j * w_stride], k);
          ASSERT_NEAR(y[i * y_stride + j], e.value, 1e-6 * e.magnitude);
        } else {
          ASSERT_EQ(y[i * y_stride + j], kGuard);
        }
      }
    }
  }
}

TEST_P(Linear, EmptySumsGiveTheBias) {
  const float bias[] = {1, 2, 3};
  float y[6];
  linear(one_, {.m = 2, .n = 3, .k = 0, .bias = bias, .y = y}, FloatType::f16, nullptr);
  EXPECT_EQ(std::vector<float>(y, y + 6), (std::vector<float>{1, 2, 3, 1, 2, 3}));
  linear_quantized(one_, {.m = 2, .n = 3, .k = 0, .y = y}, QuantType::q6_k, nullptr);
  EXPECT_EQ(std::vector<float>(y, y + 6), std::vector<float>(6, 0.0f));
  linear(one_, {.m = 0, .n = 3, .k = 5, .y = nullptr}, FloatType::f32, nullptr);
}

TEST_P(Linear, NanAndInfinityReachTheirRowsOnly) {
  std::mt19937 rng(7);
  const float infinity = std::numeric_limits<float>::infinity();
  const std::int64_t k = 64, n = 9;
  const auto blocks = random_blocks(QuantType::q8_0, n, k, rng);
  for (std::int64_t m : {3, 7}) {
    auto x = random_floats(m * k, rng);
    x[k + 40] = std::numeric_limits<float>::quiet_NaN();
    x[2 * k + 3] = infinity;
    for (QuantCompute compute : {QuantCompute::precise, QuantCompute::fast}) {
      std::vector<float> y(m * n);
      linear_quantized(one_, {.m = m, .n = n, .k = k, .x = x.data(), .y = y.data()},
                       QuantType::q8_0, blocks.data(), compute);
      for (std::int64_t j = 0; j < n; ++j) {
        EXPECT_TRUE(std::isfinite(y[j]));
        EXPECT_TRUE(std::isnan(y[n + j]));
        EXPECT_FALSE(std::isfinite(y[2 * n + j]));
      }
    }
  }
}

TEST_P(Linear, FastStaysWithinTheRoundingOfTheActivations) {
  std::mt19937 rng(8);
  for (QuantType type : kQuants) {
    const std::int64_t k = 1024;
    for (std::int64_t m : {1, 4, 7}) {
      for (std::int64_t n : {1, 4, 35}) {
        const Guarded<float> x(random_floats(m * k, rng));
        const Guarded<std::byte> w(random_blocks(type, n, k, rng));
        Guarded<float> y(m * n);
        linear_quantized(one_, {.m = m, .n = n, .k = k, .x = x.data(), .y = y.data()}, type,
                         w.data(), QuantCompute::fast);
        std::vector<float> wide(k);
        for (std::int64_t j = 0; j < n; ++j) {
          dequantize_row(type, w.data() + j * row_bytes(type, k), wide.data(), k);
          for (std::int64_t i = 0; i < m; ++i) {
            const float* row = x.data() + i * k;
            double bound = 0;
            for (std::int64_t g = 0; g < k; g += 32) {
              float top = 0;
              for (int l = 0; l < 32; ++l) top = std::max(top, std::abs(row[g + l]));
              for (int l = 0; l < 32; ++l) bound += std::abs(wide[g + l]) * top / 253;
            }
            // The terms in d and in m are each larger than their sum: room for their rounding.
            const Expected e = expected_dot(row, wide.data(), k);
            ASSERT_NEAR(y[i * n + j], e.value, bound + 1e-4 * e.magnitude)
                << to_string(type) << " m " << m << " n " << n;
          }
        }
      }
    }
  }
}

TEST_P(Linear, DequantizeGivesTheReferenceValues) {
  std::mt19937 rng(9);
  for (QuantType type : kQuants) {
    const std::int64_t k = 3 * block_size(type);
    const Guarded<std::byte> blocks(random_blocks(type, 1, k, rng));
    Guarded<float> out(k);
    std::vector<float> reference(k);
    dequantize(type, blocks.data(), out.data(), k);
    dequantize_row(type, blocks.data(), reference.data(), k);
    for (std::int64_t i = 0; i < k; ++i) ASSERT_EQ(out[i], reference[i]) << to_string(type);
  }
}

TEST_P(Linear, RefusesRowsThatAreNotWholeBlocks) {
  float y = 0;
  EXPECT_THROW(linear_quantized(one_, {.m = 1, .n = 1, .k = 33, .y = &y}, QuantType::q4_0, nullptr),
               Error);
  EXPECT_THROW(dequantize(QuantType::q4_k, nullptr, &y, 32), Error);
}

}  // namespace
}  // namespace tessera::cpu::isa

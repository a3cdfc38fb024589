#include "tessera/backends/cpu/isa/matmul.h"

#include <cmath>

#include "guarded.h"

namespace tessera::cpu::isa {
namespace {

class Matmul : public OnIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, Matmul, testing::ValuesIn(available_isas()), isa_name);

/// A random matrix in memory that ends at a guard page, and its values.
struct Operand {
  Operand(std::int64_t rows, std::int64_t columns, FloatType type, bool transposed,
          std::mt19937& rng)
      : values(random_floats(rows * columns, rng)),
        halves(type == FloatType::f32 ? std::vector<std::uint16_t>{} : stored_halves(type, values)),
        floats(values),
        row_stride(transposed ? 1 : columns),
        column_stride(transposed ? rows : 1) {
    matrix = {type == FloatType::f32 ? static_cast<const void*>(floats.data()) : halves.data(),
              type, row_stride, column_stride};
  }
  float at(std::int64_t i, std::int64_t j) const {
    return values[i * row_stride + j * column_stride];
  }

  std::vector<float> values;
  Guarded<std::uint16_t> halves;
  Guarded<float> floats;
  std::int64_t row_stride, column_stride;
  StridedMatrix matrix{};
};

struct Case {
  std::int64_t m, n, k;
};

TEST_P(Matmul, MatchesDoubleSumsForEveryLayout) {
  std::mt19937 rng(1);
  ThreadPool pool(2);
  for (const auto& [m, n, k] :
       {Case{1, 1, 1}, Case{1, 63, 17}, Case{2, 65, 33}, Case{7, 7, 7}, Case{8, 129, 31},
        Case{9, 15, 65}, Case{15, 17, 300}, Case{33, 129, 129}, Case{75, 3, 41}, Case{80, 1, 9},
        Case{5, 1100, 40}, Case{150, 50, 520}, Case{13, 1045, 257}}) {
    for (bool a_transposed : {false, true}) {
      for (bool b_transposed : {false, true}) {
        const Operand a(m, k, FloatType::f32, a_transposed, rng);
        const Operand b(k, n, FloatType::f32, b_transposed, rng);
        Guarded<float> c(m * n);
        matmul(pool, m, n, k, a.matrix, b.matrix, {c.data(), FloatType::f32, n});
        for (std::int64_t i = 0; i < m; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            double value = 0, magnitude = 0;
            for (std::int64_t l = 0; l < k; ++l) {
              value += static_cast<double>(a.at(i, l)) * b.at(l, j);
              magnitude += std::abs(static_cast<double>(a.at(i, l)) * b.at(l, j));
            }
            ASSERT_NEAR(c[i * n + j], value, 1e-6 * magnitude)
                << m << " " << n << " " << k << " " << a_transposed << b_transposed;
          }
        }
      }
    }
  }
}

TEST_P(Matmul, HalfTypesAccumulateInFloatAndRoundOnce) {
  std::mt19937 rng(2);
  ThreadPool pool(1);
  for (FloatType type : {FloatType::f16, FloatType::bf16}) {
    for (const auto& [m, n, k] : {Case{3, 35, 77}, Case{21, 35, 300}, Case{40, 2, 33}}) {
      for (bool a_transposed : {false, true}) {
        for (bool b_transposed : {false, true}) {
          const Operand a(m, k, type, a_transposed, rng), b(k, n, type, b_transposed, rng);
          Guarded<float> wide(m * n);
          Guarded<std::uint16_t> c(m * n);
          matmul(pool, m, n, k, a.matrix, b.matrix, {wide.data(), FloatType::f32, n});
          matmul(pool, m, n, k, a.matrix, b.matrix, {c.data(), type, n});
          for (std::int64_t i = 0; i < m * n; ++i) {
            double value = 0, magnitude = 0;
            for (std::int64_t l = 0; l < k; ++l) {
              value += static_cast<double>(a.at(i / n, l)) * b.at(l, i % n);
              magnitude += std::abs(static_cast<double>(a.at(i / n, l)) * b.at(l, i % n));
            }
            ASSERT_NEAR(wide[i], value, 1e-6 * magnitude);
            ASSERT_EQ(c[i], type == FloatType::f16 ? float16_t::from_float(wide[i])
                                                   : bfloat16_t::from_float(wide[i]));
          }
        }
      }
    }
  }
}

TEST_P(Matmul, ResultsDoNotDependOnTheThreads) {
  std::mt19937 rng(3);
  const std::int64_t m = 90, n = 1100, k = 300;
  const Operand a(m, k, FloatType::f32, false, rng);
  for (bool b_transposed : {false, true}) {
    const Operand b(k, n, FloatType::f32, b_transposed, rng);
    std::vector<float> first;
    for (int threads : {1, 2, 3, 5}) {
      ThreadPool pool(threads);
      std::vector<float> c(m * n);
      matmul(pool, m, n, k, a.matrix, b.matrix, {c.data(), FloatType::f32, n});
      if (threads == 1) first = c;
      ASSERT_EQ(c, first) << threads;
    }
  }
}

TEST_P(Matmul, ARowGivesTheSameBitsAloneAsAmongOthers) {
  std::mt19937 rng(4);
  ThreadPool pool(1);
  const std::int64_t m = 20, n = 77, k = 600;
  const Operand a(m, k, FloatType::f32, false, rng);
  for (bool b_transposed : {false, true}) {
    const Operand b(k, n, FloatType::f32, b_transposed, rng);
    std::vector<float> all(m * n), one(n);
    matmul(pool, m, n, k, a.matrix, b.matrix, {all.data(), FloatType::f32, n});
    for (std::int64_t i = 0; i < m; ++i) {
      StridedMatrix row = a.matrix;
      row.data = a.floats.data() + i * k;
      matmul(pool, 1, n, k, row, b.matrix, {one.data(), FloatType::f32, n});
      ASSERT_EQ(one, std::vector<float>(all.begin() + i * n, all.begin() + (i + 1) * n)) << i;
    }
  }
}

TEST_P(Matmul, EmptySumsAreZeroAndGapsOfCAreLeftAlone) {
  ThreadPool pool(1);
  std::vector<float> c(3 * 8, 5.0f);
  const StridedMatrix none{nullptr, FloatType::f32, 0, 1};
  matmul(pool, 3, 4, 0, none, none, {c.data(), FloatType::f32, 8});
  std::mt19937 rng(5);
  for (std::int64_t i = 0; i < 24; ++i) ASSERT_EQ(c[i], i % 8 < 4 ? 0.0f : 5.0f);
  for (std::int64_t m : {3, 30}) {
    const Operand a(m, 9, FloatType::f32, false, rng), b(9, 21, FloatType::f32, false, rng);
    std::vector<float> wide(m * 32, 5.0f);
    matmul(pool, m, 21, 9, a.matrix, b.matrix, {wide.data(), FloatType::f32, 32});
    for (std::int64_t i = 0; i < m * 32; ++i) {
      if (i % 32 >= 21) {
        ASSERT_EQ(wide[i], 5.0f);
      } else {
        double value = 0;
        for (std::int64_t l = 0; l < 9; ++l) value += double{a.at(i / 32, l)} * b.at(l, i % 32);
        ASSERT_NEAR(wide[i], value, 1e-4);
      }
    }
  }
}

TEST_P(Matmul, BroadcastAndReversedOperandsFollowTheirStrides) {
  std::mt19937 rng(6);
  ThreadPool pool(1);
  const std::int64_t m = 11, n = 19, k = 23;
  const auto a = random_floats(k, rng), b = random_floats(k * n, rng);
  std::vector<float> c(m * n);
  // Every row of A is the same; B is read from its last row up.
  matmul(pool, m, n, k, {a.data(), FloatType::f32, 0, 1},
         {b.data() + (k - 1) * n, FloatType::f32, -n, 1}, {c.data(), FloatType::f32, n});
  for (std::int64_t i = 0; i < m * n; ++i) {
    double value = 0;
    for (std::int64_t l = 0; l < k; ++l) value += double{a[l]} * b[(k - 1 - l) * n + i % n];
    ASSERT_NEAR(c[i], value, 1e-4);
  }
}

}  // namespace
}  // namespace tessera::cpu::isa

// What the goldens of Fourier transforms cannot hold: many lengths against a sum in double,
// inverses, lines that must not touch each other, layouts.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

using Complex = std::complex<double>;

template <class T>
std::vector<Complex> values(const array& a) {
  const auto v = a.to_host().values<T>();
  return {v.begin(), v.end()};
}

std::vector<Complex> transform_in_double(const std::vector<Complex>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<Complex> out(x.size());
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t j = 0; j < n; ++j) {
      out[k] += x[j] * std::polar(1.0, -2 * std::numbers::pi * double(j * k % n) / double(n));
    }
  }
  return out;
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0, size = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return most / size;
}

// Factors of every radix alone, squared and mixed; primes past them, which take the chirp; both
// parities for the real transforms.
constexpr int kLengths[] = {1,   2,   3,   4,   5,   6,   7,   8,   11,  13,   16,   17,   19,
                            22,  23,  25,  26,  27,  34,  37,  49,  60,  64,   97,   101,  121,
                            143, 169, 187, 210, 251, 256, 289, 512, 600, 1001, 1021, 2310, 4099};

TEST(Fft, OfAnyLengthIsTheSum) {
  for (const int n : kLengths) {
    const array x = random::normal({n}, random::key(n));
    const std::vector<Complex> want = transform_in_double(values<float>(x));
    EXPECT_LT(largest_difference(values<complex64_t>(fft::fft(x)), want), 1e-6) << n;
    const std::vector<Complex> half(want.begin(), want.begin() + n / 2 + 1);
    EXPECT_LT(largest_difference(values<complex64_t>(fft::rfft(x)), half), 1e-6) << n;
  }
}

TEST(Fft, InversesGiveTheInputBack) {
  for (const int n : kLengths) {
    const array x = random::normal({3, n}, random::key(n));
    const auto want = values<float>(x);
    EXPECT_LT(largest_difference(values<complex64_t>(fft::ifft(fft::fft(x))), want), 2e-6) << n;
    EXPECT_LT(largest_difference(values<float>(fft::irfft(fft::rfft(x), n, -1)), want), 2e-6) << n;
  }
}

TEST(Fft, LinesDoNotTouchEachOther) {
  // The same line alone, and among others that hold NaN, infinity and huge numbers.
  const array line = random::normal({1, 30}, random::key(4));
  const array nan = line * NAN, infinite = line * INFINITY, huge = line * 1e30f;
  const array mixed = concatenate({nan, line, infinite, huge, line, line, nan, huge, line});
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const auto alone = values<complex64_t>(fft::rfft(line));
    const array all = fft::rfft(mixed);
    for (const int row : {1, 4, 5, 8}) {
      EXPECT_EQ(values<complex64_t>(slice(all, {row, 0}, {row + 1, 16})), alone) << row;
    }
    EXPECT_TRUE(std::isnan(values<complex64_t>(slice(all, {0, 3}, {1, 4}))[0].real()));
  }
}

TEST(Fft, RealSpectraEndInRealNumbers) {
  for (const int n : {1, 2, 8, 9, 30}) {
    const auto spectrum = values<complex64_t>(fft::rfft(random::normal({n}, random::key(n))));
    EXPECT_EQ(spectrum.front().imag(), 0) << n;
    EXPECT_TRUE(n % 2 != 0 || spectrum.back().imag() == 0) << n;
  }
}

TEST(Fft, ReadsStridedInputs) {
  const array x = random::normal({6, 5, 4}, random::key(2));
  const array turned = transpose(x, {2, 0, 1});
  const array part = slice(turned, {3, 5, 0}, {-5, -7, 5}, {-2, -1, 1});
  for (const int axis : {0, 1, 2}) {
    EXPECT_EQ(values<complex64_t>(fft::rfft(part, axis)),
              values<complex64_t>(fft::rfft(part + 0.0f, axis)));
    EXPECT_EQ(values<complex64_t>(fft::fft(part, axis)),
              values<complex64_t>(fft::fft(part + 0.0f, axis)));
  }
  const array repeated = broadcast_to(random::normal({1, 8}, random::key(3)), {3, 8});
  const auto rows = values<complex64_t>(fft::fft(repeated));
  for (int k = 0; k < 8; ++k) EXPECT_EQ(rows[k], rows[16 + k]);
}

TEST(Fft, RefusesBadArguments) {
  const auto refusal = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  const auto expect = [&](const std::function<void()>& call, const char* word) {
    const std::string message = refusal(call);
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  const array x = zeros({2, 3});
  expect([&] { fft::fft(x, 2); }, "axis 2");
  expect([&] { fft::fft(x, 0, 1); }, "0 points");
  expect([&] { fft::fftn(x, {4}, {0, 1}); }, "1 sizes for 2 axes");
  expect([&] { fft::fftn(x, std::vector<int>{1, -1}); }, "twice");
  expect([&] { fft::rfftn(array(1.0f)); }, "at least one axis");
  expect([&] { fft::irfft(zeros({2, 1})); }, "0 points");
  expect([&] { fft::fftfreq(4, 0.0); }, "4 points");
}

}  // namespace
}  // namespace tessera

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "tessera/backends/cpu/internal/fft_plan.h"

namespace tessera::cpu {

namespace {

using Complex = std::complex<float>;

// Separate arrays of real and imaginary parts.
struct Parts {
  float* re;
  float* im;
  Parts operator+(std::int64_t floats) const { return {re + floats, im + floats}; }
};

// One step of Stockham's algorithm for the group at `j` of m: reads elements j, j + m, ... of x and
// writes elements P j, P j + 1, ... of y, each `run` floats of neighbouring sequences and lines.
// turns: the factor of each output but the first.

void radix_2(Parts x, Parts y, std::int64_t m, std::int64_t run, const Complex* turns) {
  const float c = turns[1].real(), s = turns[1].imag();
  const float* __restrict ar = x.re;
  const float* __restrict ai = x.im;
  const float* __restrict br = x.re + m * run;
  const float* __restrict bi = x.im + m * run;
  float* __restrict yr = y.re;
  float* __restrict yi = y.im;
  for (std::int64_t i = 0; i < run; ++i) {
    const float dr = ar[i] - br[i], di = ai[i] - bi[i];
    yr[i] = ar[i] + br[i];
    yi[i] = ai[i] + bi[i];
    yr[run + i] = dr * c - di * s;
    yi[run + i] = dr * s + di * c;
  }
}

void radix_4(Parts x, Parts y, std::int64_t m, std::int64_t run, const Complex* turns) {
  const float c1 = turns[1].real(), s1 = turns[1].imag();
  const float c2 = turns[2].real(), s2 = turns[2].imag();
  const float c3 = turns[3].real(), s3 = turns[3].imag();
  const float* __restrict xr = x.re;
  const float* __restrict xi = x.im;
  float* __restrict yr = y.re;
  float* __restrict yi = y.im;
  const std::int64_t far = m * run;
  for (std::int64_t i = 0; i < run; ++i) {
    const float sum_r = xr[i] + xr[2 * far + i], sum_i = xi[i] + xi[2 * far + i];
    const float gap_r = xr[i] - xr[2 * far + i], gap_i = xi[i] - xi[2 * far + i];
    const float odd_r = xr[far + i] + xr[3 * far + i], odd_i = xi[far + i] + xi[3 * far + i];
    const float rest_r = xr[far + i] - xr[3 * far + i], rest_i = xi[far + i] - xi[3 * far + i];
    const float r1 = gap_r + rest_i, i1 = gap_i - rest_r;
    const float r2 = sum_r - odd_r, i2 = sum_i - odd_i;
    const float r3 = gap_r - rest_i, i3 = gap_i + rest_r;
    yr[i] = sum_r + odd_r;
    yi[i] = sum_i + odd_i;
    yr[run + i] = r1 * c1 - i1 * s1;
    yi[run + i] = r1 * s1 + i1 * c1;
    yr[2 * run + i] = r2 * c2 - i2 * s2;
    yi[2 * run + i] = r2 * s2 + i2 * c2;
    yr[3 * run + i] = r3 * c3 - i3 * s3;
    yi[3 * run + i] = r3 * s3 + i3 * c3;
  }
}

// An odd prime: outputs k and P - k share the sums and differences of inputs r and P - r.
// waves: exp(-2 pi i r / P)
template <int P>
void radix_odd(Parts x, Parts y, std::int64_t m, std::int64_t run, const Complex* turns,
               const Complex* waves) {
  constexpr int kHalf = P / 2;
  const float* __restrict xr = x.re;
  const float* __restrict xi = x.im;
  float* __restrict yr = y.re;
  float* __restrict yi = y.im;
  const std::int64_t far = m * run;
  for (std::int64_t i = 0; i < run; ++i) {
    float sum_r[kHalf], sum_i[kHalf], gap_r[kHalf], gap_i[kHalf];
    float total_r = xr[i], total_i = xi[i];
    for (int r = 0; r < kHalf; ++r) {
      const std::int64_t a = (r + 1) * far + i, b = (P - 1 - r) * far + i;
      sum_r[r] = xr[a] + xr[b];
      sum_i[r] = xi[a] + xi[b];
      gap_r[r] = xr[a] - xr[b];
      gap_i[r] = xi[a] - xi[b];
      total_r += sum_r[r];
      total_i += sum_i[r];
    }
    yr[i] = total_r;
    yi[i] = total_i;
    for (int k = 1; k <= kHalf; ++k) {
      float even_r = xr[i], even_i = xi[i], odd_r = 0, odd_i = 0;
      for (int r = 0; r < kHalf; ++r) {
        const Complex wave = waves[(r + 1) * k % P];
        even_r += sum_r[r] * wave.real();
        even_i += sum_i[r] * wave.real();
        odd_r -= gap_i[r] * wave.imag();
        odd_i += gap_r[r] * wave.imag();
      }
      const Complex turn = turns[k], back = turns[P - k];
      const float r1 = even_r + odd_r, i1 = even_i + odd_i;
      const float r2 = even_r - odd_r, i2 = even_i - odd_i;
      yr[k * run + i] = r1 * turn.real() - i1 * turn.imag();
      yi[k * run + i] = r1 * turn.imag() + i1 * turn.real();
      yr[(P - k) * run + i] = r2 * back.real() - i2 * back.imag();
      yi[(P - k) * run + i] = r2 * back.imag() + i2 * back.real();
    }
  }
}

void radix_any(int p, Parts x, Parts y, std::int64_t m, std::int64_t run, const Complex* turns,
               const Complex* waves) {
  switch (p) {
    case 2: return radix_2(x, y, m, run, turns);
    case 3: return radix_odd<3>(x, y, m, run, turns, waves);
    case 4: return radix_4(x, y, m, run, turns);
    case 5: return radix_odd<5>(x, y, m, run, turns, waves);
    case 7: return radix_odd<7>(x, y, m, run, turns, waves);
    case 11: return radix_odd<11>(x, y, m, run, turns, waves);
    default: return radix_odd<13>(x, y, m, run, turns, waves);
  }
}

// n as a product of radices; empty when a larger prime is left.
std::vector<int> factors(std::int64_t n) {
  std::vector<int> out;
  for (const int p : {4, 2, 3, 5, 7, 11, 13}) {
    for (; n % p == 0; n /= p) out.push_back(p);
  }
  return n == 1 ? out : std::vector<int>{};
}

}  // namespace

std::vector<Complex> roots_of_unity(std::int64_t n, std::int64_t count) {
  std::vector<Complex> out(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    out[k] = Complex(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  }
  return out;
}

// j k = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution with a chirp. (L. Bluestein,
// A linear filtering approach to the computation of discrete Fourier transform, 1970.)
struct FftPlan::Bluestein {
  FftPlan plan;                             // of a power of two that holds the convolution
  std::vector<Complex> chirp;               // exp(-pi i j^2 / n)
  std::vector<float> filter_re, filter_im;  // the transform of its conjugate, over the plan's size

  explicit Bluestein(std::int64_t n)
      : plan(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)))),
        chirp(static_cast<std::size_t>(n)),
        filter_re(static_cast<std::size_t>(plan.size())),
        filter_im(static_cast<std::size_t>(plan.size())) {
    std::int64_t square = 0;  // j^2 modulo 2 n
    for (std::int64_t j = 0; j < n; ++j) {
      const double angle = std::numbers::pi * static_cast<double>(square) / static_cast<double>(n);
      chirp[j] = Complex(static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle)));
      for (const std::int64_t at : {j, (plan.size() - j) % plan.size()}) {
        filter_re[at] = chirp[j].real();
        filter_im[at] = -chirp[j].imag();
      }
      square = (square + 2 * j + 1) % (2 * n);
    }
    std::vector<float> scratch(static_cast<std::size_t>(plan.scratch_per_line()));
    plan.forward(filter_re.data(), filter_im.data(), 1, scratch.data());
    const float inverse = 1.0f / static_cast<float>(plan.size());
    for (std::int64_t k = 0; k < plan.size(); ++k) {
      filter_re[k] *= inverse;
      filter_im[k] *= inverse;
    }
  }

  void forward(float* re, float* im, std::int64_t lines, float* scratch) const {
    const auto n = static_cast<std::int64_t>(chirp.size());
    const std::int64_t size = plan.size();
    float* wr = scratch;
    float* wi = wr + size * lines;
    float* rest = wi + size * lines;
    std::fill(wr + n * lines, wr + size * lines, 0.0f);
    std::fill(wi + n * lines, wi + size * lines, 0.0f);
    const auto turn = [lines](Complex by, const float* xr, const float* xi, float* yr, float* yi) {
      for (std::int64_t l = 0; l < lines; ++l) {
        const float r = xr[l], i = xi[l];
        yr[l] = r * by.real() - i * by.imag();
        yi[l] = r * by.imag() + i * by.real();
      }
    };
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t at = j * lines;
      turn(chirp[j], re + at, im + at, wr + at, wi + at);
    }
    plan.forward(wr, wi, lines, rest);
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t at = k * lines;
      turn({filter_re[k], filter_im[k]}, wr + at, wi + at, wr + at, wi + at);
    }
    plan.forward(wi, wr, lines, rest);  // inverse
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t at = k * lines;
      turn(chirp[k], wr + at, wi + at, re + at, im + at);
    }
  }
};

FftPlan::FftPlan(std::int64_t n) : n_(n), radices_(factors(n)) {
  if (n > 1 && radices_.empty()) {
    bluestein_ = std::make_unique<const Bluestein>(n);
  } else {
    roots_ = roots_of_unity(n, n);
  }
}

FftPlan::~FftPlan() = default;

std::int64_t FftPlan::scratch_per_line() const {
  if (bluestein_) return 2 * bluestein_->plan.size() + bluestein_->plan.scratch_per_line();
  return 2 * n_;
}

void FftPlan::forward(float* re, float* im, std::int64_t lines, float* scratch) const {
  if (bluestein_) return bluestein_->forward(re, im, lines, scratch);
  stockham(re, im, lines, scratch);
}

void FftPlan::stockham(float* re, float* im, std::int64_t lines, float* scratch) const {
  const Parts home{re, im};
  const Parts away{scratch, scratch + n_ * lines};
  Parts x = home, y = away;
  std::int64_t length = n_;    // of the sequences left to transform
  std::int64_t sequences = 1;  // that many of them, interleaved
  for (const int p : radices_) {
    const std::int64_t m = length / p;
    const std::int64_t run = sequences * lines;
    Complex waves[13], turns[13];
    for (int r = 0; r < p; ++r) waves[r] = roots_[r * (n_ / p)];
    for (std::int64_t j = 0; j < m; ++j) {
      for (int k = 0; k < p; ++k) turns[k] = roots_[j * k * sequences];
      radix_any(p, x + j * run, y + j * p * run, m, run, turns, waves);
    }
    std::swap(x, y);
    length = m;
    sequences *= p;
  }
  if (x.re == home.re) return;
  std::copy(x.re, x.re + n_ * lines, re);
  std::copy(x.im, x.im + n_ * lines, im);
}

}  // namespace tessera::cpu

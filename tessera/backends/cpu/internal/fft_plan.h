// Complex transforms of any length, of several lines at once.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::cpu {

/// Stockham's self-sorting transform in radices 4, 2, 3, 5, 7, 11 and 13; lengths with a larger
/// prime factor go through Bluestein's convolution of a power of two. Lines lie side by side, so
/// every step is one loop over neighbouring floats, which the compiler vectorises. Immutable: any
/// number of threads may use one.
class FftPlan {
 public:
  /// n >= 1
  explicit FftPlan(std::int64_t n);
  ~FftPlan();

  std::int64_t size() const { return n_; }
  /// Floats of scratch that forward() needs for each line.
  std::int64_t scratch_per_line() const;
  /// out[k] = sum over j of in[j] * exp(-2 pi i j k / n), in place.
  /// re, im   [n, lines]; given to each other's place they are transformed inversely
  /// scratch  scratch_per_line() * lines floats
  void forward(float* re, float* im, std::int64_t lines, float* scratch) const;

 private:
  struct Bluestein;
  void stockham(float* re, float* im, std::int64_t lines, float* scratch) const;

  std::int64_t n_;
  std::vector<int> radices_;                // their product is n, unless bluestein_
  std::vector<std::complex<float>> roots_;  // exp(-2 pi i k / n)
  std::unique_ptr<const Bluestein> bluestein_;
};

/// exp(-2 pi i k / n) for k in [0, count).
std::vector<std::complex<float>> roots_of_unity(std::int64_t n, std::int64_t count);

}  // namespace tessera::cpu

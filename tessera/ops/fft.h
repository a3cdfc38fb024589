// Discrete Fourier transforms.
//
//   array spectrum = fft::rfft(frames, 400, -1);   // [T, 400] -> [T, 201] complex64
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

/// One axis at a time; transforms over several are one op for each.
struct Fft {
  enum class Kind : std::uint8_t {
    forward,       ///< complex64 [.., n, ..] to the same
    inverse,       ///< complex64 [.., n, ..] to the same
    real_forward,  ///< float32 [.., n, ..] to complex64 [.., n / 2 + 1, ..]
    real_inverse,  ///< complex64 [.., n / 2 + 1, ..] to float32 [.., n, ..]
  };
  int axis = 0;
  ShapeElem n = 1;
  Kind kind = Kind::forward;
  float scale = 1;
  static constexpr const char* kName = "fft";
  static constexpr const char* kDoc =
      "out[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n) along an axis, exp(+...) for the "
      "inverses. The real transforms keep the non-redundant half; the real inverse ignores the "
      "imaginary parts of its first and, for even n, its last element.";
  static constexpr const char* kShapes =
      "x [..., n, ...] -> [..., n, ...]; real_forward gives n / 2 + 1, real_inverse takes them";
  static constexpr const char* kDtypes =
      "complex64 -> complex64; real_forward: float32 -> complex64; real_inverse: complex64 -> "
      "float32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Fft::axis>("in [0, rank)"), attribute<&Fft::n>("points, at least 1"),
                 attribute<&Fft::kind>("direction"), attribute<&Fft::scale>("of the result"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

namespace fft {

/// Which direction divides by the number of points: the inverse, both by its root, or the forward.
enum class FFTNorm { Backward, Ortho, Forward };

/// a     any dtype: goes to complex64, or to float32 for rfft*; float64 too
/// n     sizes to cut or zero-pad the axes to before the transform (for irfft*, the last is the
///       size of the result; without n it is 2 * (size - 1))
/// axes  transformed, the last one first; all when left out; negative ones count from the end
/// errors  invalid_argument for a rank of 0, an axis that is out of range or appears twice, sizes
///         below 1 or fewer or more of them than axes
array fftn(const array& a, const Shape& n, const std::vector<int>& axes,
           FFTNorm norm = FFTNorm::Backward);
array fftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward);
array fftn(const array& a, FFTNorm norm = FFTNorm::Backward);
array ifftn(const array& a, const Shape& n, const std::vector<int>& axes,
            FFTNorm norm = FFTNorm::Backward);
array ifftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward);
array ifftn(const array& a, FFTNorm norm = FFTNorm::Backward);
array rfftn(const array& a, const Shape& n, const std::vector<int>& axes,
            FFTNorm norm = FFTNorm::Backward);
array rfftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward);
array rfftn(const array& a, FFTNorm norm = FFTNorm::Backward);
array irfftn(const array& a, const Shape& n, const std::vector<int>& axes,
             FFTNorm norm = FFTNorm::Backward);
array irfftn(const array& a, const std::vector<int>& axes, FFTNorm norm = FFTNorm::Backward);
array irfftn(const array& a, FFTNorm norm = FFTNorm::Backward);

/// The same over one axis and over two.
#define TESSERA_FFT(one, two, many)                                                     \
  inline array one(const array& a, int n, int axis, FFTNorm norm = FFTNorm::Backward) { \
    return many(a, Shape{n}, {axis}, norm);                                             \
  }                                                                                     \
  inline array one(const array& a, int axis = -1, FFTNorm norm = FFTNorm::Backward) {   \
    return many(a, std::vector<int>{axis}, norm);                                       \
  }                                                                                     \
  inline array two(const array& a, const Shape& n, const std::vector<int>& axes,        \
                   FFTNorm norm = FFTNorm::Backward) {                                  \
    return many(a, n, axes, norm);                                                      \
  }                                                                                     \
  inline array two(const array& a, const std::vector<int>& axes = {-2, -1},             \
                   FFTNorm norm = FFTNorm::Backward) {                                  \
    return many(a, axes, norm);                                                         \
  }
TESSERA_FFT(fft, fft2, fftn)
TESSERA_FFT(ifft, ifft2, ifftn)
TESSERA_FFT(rfft, rfft2, rfftn)
TESSERA_FFT(irfft, irfft2, irfftn)
#undef TESSERA_FFT

/// Frequencies of the transform's outputs in cycles per unit of the spacing d, float32.
/// errors  invalid_argument for n < 1 or d = 0
array fftfreq(int n, double d = 1.0);
array rfftfreq(int n, double d = 1.0);

/// Rotates axes (all when left out) so that frequency 0 comes to the middle, and back.
array fftshift(const array& a, const std::vector<int>& axes);
array fftshift(const array& a);
array ifftshift(const array& a, const std::vector<int>& axes);
array ifftshift(const array& a);

}  // namespace fft
}  // namespace tessera

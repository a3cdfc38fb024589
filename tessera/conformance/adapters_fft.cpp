// Fourier transforms and the parts of complex numbers.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

using fft::FFTNorm;

FFTNorm norm_of(const GoldenCase& c) {
  const std::string name = c.attrs.value("norm", "backward");
  return name == "ortho"     ? FFTNorm::Ortho
         : name == "forward" ? FFTNorm::Forward
                             : FFTNorm::Backward;
}

using Sized = array (*)(const array&, const Shape&, const std::vector<int>&, FFTNorm);
using Axes = array (*)(const array&, const std::vector<int>&, FFTNorm);
using All = array (*)(const array&, FFTNorm);

Adapter one_axis(array (*sized)(const array&, int, int, FFTNorm),
                 array (*plain)(const array&, int, FFTNorm)) {
  return [=](const GoldenCase& c) {
    const int axis = c.attrs.value("axis", -1);
    if (c.attrs.contains("n")) return sized(c.input(0), c.attrs["n"], axis, norm_of(c));
    return plain(c.input(0), axis, norm_of(c));
  };
}

// all: nullptr where the last two axes are meant when none are given
Adapter many_axes(Sized sized, Axes plain, All all) {
  return [=](const GoldenCase& c) {
    if (!c.attrs.contains("axes")) {
      return all ? all(c.input(0), norm_of(c)) : plain(c.input(0), {-2, -1}, norm_of(c));
    }
    const auto axes = c.attrs["axes"].get<std::vector<int>>();
    if (c.attrs.contains("n")) {
      return sized(c.input(0), shape_of(c.attrs["n"]), axes, norm_of(c));
    }
    return plain(c.input(0), axes, norm_of(c));
  };
}

Adapter shift(array (*all)(const array&), array (*some)(const array&, const std::vector<int>&)) {
  return [=](const GoldenCase& c) {
    if (c.attrs["axes"].is_null()) return all(c.input(0));
    return some(c.input(0), c.attrs["axes"].get<std::vector<int>>());
  };
}

Adapter frequencies(array (*fn)(int, double)) {
  return [fn](const GoldenCase& c) { return fn(c.attrs["n"], c.attrs["d"]); };
}

}  // namespace

void add_fft(Adapters& table) {
  table.insert({
      {"real", unary(real)},
      {"imag", unary(imag)},
      {"conjugate", unary(conjugate)},
      {"fft.fft", one_axis(fft::fft, fft::fft)},
      {"fft.ifft", one_axis(fft::ifft, fft::ifft)},
      {"fft.rfft", one_axis(fft::rfft, fft::rfft)},
      {"fft.irfft", one_axis(fft::irfft, fft::irfft)},
      {"fft.fft2", many_axes(fft::fft2, fft::fft2, nullptr)},
      {"fft.ifft2", many_axes(fft::ifft2, fft::ifft2, nullptr)},
      {"fft.rfft2", many_axes(fft::rfft2, fft::rfft2, nullptr)},
      {"fft.irfft2", many_axes(fft::irfft2, fft::irfft2, nullptr)},
      {"fft.fftn", many_axes(fft::fftn, fft::fftn, fft::fftn)},
      {"fft.ifftn", many_axes(fft::ifftn, fft::ifftn, fft::ifftn)},
      {"fft.rfftn", many_axes(fft::rfftn, fft::rfftn, fft::rfftn)},
      {"fft.irfftn", many_axes(fft::irfftn, fft::irfftn, fft::irfftn)},
      {"fft.fftshift", shift(fft::fftshift, fft::fftshift)},
      {"fft.ifftshift", shift(fft::ifftshift, fft::ifftshift)},
      {"fft.fftfreq", frequencies(fft::fftfreq)},
      {"fft.rfftfreq", frequencies(fft::rfftfreq)},
  });
}

}  // namespace tessera::conformance

#include "tessera/ops/fft.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/complex.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera {

TensorSpec Fft::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  const Dtype wanted = kind == Kind::real_forward ? float32 : complex64;
  if (in[0].dtype() != wanted) {
    fail(ErrorCode::unsupported_dtype, kName, "needs {}, got {}", to_string(wanted),
         detail::describe(in[0]));
  }
  const ShapeElem half = n / 2 + 1;
  const ShapeElem needed = kind == Kind::real_inverse ? half : n;
  if (n < 1 || in[0].shape()[axis] != needed) {
    fail(ErrorCode::shape_mismatch, kName, "of {} points on axis {} needs {} elements, got {}", n,
         axis, needed, detail::describe(in[0]));
  }
  Shape out = in[0].shape();
  out[axis] = kind == Kind::real_forward ? half : n;
  return {out, kind == Kind::real_inverse ? float32 : complex64};
}

namespace {

// scale * weight(j) * cos and sin of 2 pi j k / n, [rows, columns], on a backend.
template <class Weight>
std::pair<array, array> wave_matrices(ShapeElem n, ShapeElem rows, ShapeElem columns, double scale,
                                      Weight weight, const BackendPtr& backend) {
  std::vector<double> cosine(n), sine(n);
  for (ShapeElem i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    cosine[i] = std::cos(angle);
    sine[i] = std::sin(angle);
  }
  HostTensor c(Shape{rows, columns}, float32), s(Shape{rows, columns}, float32);
  auto* to_c = reinterpret_cast<float*>(c.mutable_data());
  auto* to_s = reinterpret_cast<float*>(s.mutable_data());
  for (ShapeElem j = 0; j < rows; ++j) {
    const double factor = scale * weight(j);
    ShapeElem turn = 0;  // j * k modulo n
    for (ShapeElem k = 0; k < columns; ++k) {
      *to_c++ = static_cast<float>(factor * cosine[turn]);
      *to_s++ = static_cast<float>(factor * sine[turn]);
      turn += j;
      if (turn >= n) turn -= n;
    }
  }
  return {array(std::move(c), backend), array(std::move(s), backend)};
}

}  // namespace

// Products with matrices of cosines and sines: n^2 of each, which suits backends without a
// transform of their own for the sizes of audio frames.
std::vector<array> Fft::lower(std::span<const array> in) const {
  const TensorSpec spec = infer(in);
  const BackendPtr& backend = in[0].backend();
  const array x = swapaxes(in[0], axis, -1);
  const ShapeElem rows = x.shape(-1);
  // How often an element counts in the whole that a real inverse has only half of.
  const auto weight = [&](ShapeElem j) {
    const bool alone = kind != Kind::real_inverse || j == 0 || 2 * j == n;
    return alone ? 1.0 : 2.0;
  };
  const auto [c, s] = wave_matrices(n, rows, spec.shape[axis], scale, weight, backend);
  if (kind == Kind::real_forward) {
    return {swapaxes(detail::join_complex(matmul(x, c), negative(matmul(x, s))), axis, -1)};
  }
  const array re = real(x), im = imag(x);
  if (kind == Kind::real_inverse) return {swapaxes(matmul(re, c) - matmul(im, s), axis, -1)};
  const array turned_re = matmul(im, s), turned_im = matmul(re, s);
  const array out =
      kind == Kind::forward
          ? detail::join_complex(matmul(re, c) + turned_re, matmul(im, c) - turned_im)
          : detail::join_complex(matmul(re, c) - turned_re, matmul(im, c) + turned_im);
  return {swapaxes(out, axis, -1)};
}

namespace fft {

namespace {

struct Direction {
  const char* name;
  bool real, inverse;
};
constexpr Direction kFft{"fft::fftn", false, false}, kIfft{"fft::ifftn", false, true};
constexpr Direction kRfft{"fft::rfftn", true, false}, kIrfft{"fft::irfftn", true, true};

double scale_of(FFTNorm norm, bool inverse, const Shape& n) {
  if (norm == (inverse ? FFTNorm::Forward : FFTNorm::Backward)) return 1;
  double points = 1;
  for (const ShapeElem size : n) points *= static_cast<double>(size);
  return 1 / (norm == FFTNorm::Ortho ? std::sqrt(points) : points);
}

// Cut or zero-padded at the end to a shape of the same rank.
array resized(const array& a, const Shape& shape) {
  Shape stop = a.shape();
  Shape missing(a.ndim(), 0);
  for (std::size_t i = 0; i < stop.size(); ++i) {
    stop[i] = std::min(stop[i], shape[i]);
    missing[i] = shape[i] - stop[i];
  }
  const Shape none(a.ndim(), 0);
  const array cut = slice(a, none, stop);
  if (cut.shape() == shape) return cut;
  return apply(Pad{none, missing}, {cut, detail::scalar(0, a.dtype(), a.backend())});
}

array transformed(const array& a, Direction d, const Shape& n, const std::vector<int>& given,
                  FFTNorm norm) {
  if (a.ndim() < 1) {
    fail(ErrorCode::invalid_argument, d.name, "needs at least one axis, got {}",
         detail::describe(a));
  }
  if (n.size() != given.size()) {
    fail(ErrorCode::invalid_argument, d.name, "{} sizes for {} axes", n.size(), given.size());
  }
  if (given.empty()) return a;
  std::vector<int> axes;
  Shape shape = a.shape();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const int axis = normalize_axis(given[i], a.ndim(), d.name);
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      fail(ErrorCode::invalid_argument, d.name, "axis {} appears twice", given[i]);
    }
    if (n[i] < 1) {
      fail(ErrorCode::invalid_argument, d.name, "a transform of {} points on axis {} of {}", n[i],
           given[i], detail::describe(a));
    }
    axes.push_back(axis);
    shape[axis] = n[i];
  }
  const int last = axes.back();
  if (d.real && d.inverse) shape[last] = n.back() / 2 + 1;

  array out = astype(resized(a, shape), d.real && !d.inverse ? float32 : complex64);
  // The real axis comes first on the way there and last on the way back.
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  if (!d.inverse) std::reverse(order.begin(), order.end());
  const auto scale = static_cast<float>(scale_of(norm, d.inverse, n));
  for (const std::size_t i : order) {
    Fft op;
    op.axis = axes[i];
    op.n = n[i];
    op.kind = d.inverse ? Fft::Kind::inverse : Fft::Kind::forward;
    if (d.real && axes[i] == last) {
      op.kind = d.inverse ? Fft::Kind::real_inverse : Fft::Kind::real_forward;
    }
    op.scale = i == order.back() ? scale : 1;
    out = apply(op, {out});
  }
  return out;
}

array transformed(const array& a, Direction d, const std::vector<int>& axes, FFTNorm norm) {
  Shape n;
  for (const int axis : axes) n.push_back(a.shape()[normalize_axis(axis, a.ndim(), d.name)]);
  if (d.real && d.inverse && !n.empty()) n.back() = 2 * (n.back() - 1);
  return transformed(a, d, n, axes, norm);
}

}  // namespace

#define TESSERA_FFT(name, direction)                                                       \
  array name(const array& a, const Shape& n, const std::vector<int>& axes, FFTNorm norm) { \
    return transformed(a, direction, n, axes, norm);                                       \
  }                                                                                        \
  array name(const array& a, const std::vector<int>& axes, FFTNorm norm) {                 \
    return transformed(a, direction, axes, norm);                                          \
  }                                                                                        \
  array name(const array& a, FFTNorm norm) {                                               \
    return transformed(a, direction, detail::all_axes(a), norm);                           \
  }
TESSERA_FFT(fftn, kFft)
TESSERA_FFT(ifftn, kIfft)
TESSERA_FFT(rfftn, kRfft)
TESSERA_FFT(irfftn, kIrfft)
#undef TESSERA_FFT

namespace {

void check_spacing(const char* op, int n, double d) {
  if (n < 1 || d == 0) {
    fail(ErrorCode::invalid_argument, op, "{} points {} apart", n, d);
  }
}

array frequencies(int from, int to, int n, double d) {
  return arange(double(from), double(to), float32) * (1.0 / (n * d));
}

// Each axis moved on by `shift(size)` places, what leaves its end coming in at its start.
template <class Amount>
array rotated(const char* op, const array& a, const std::vector<int>& axes, Amount amount) {
  array out = a;
  for (const int given : axes) {
    const int axis = normalize_axis(given, a.ndim(), op);
    const ShapeElem n = a.shape()[axis];
    const ShapeElem kept = n - amount(n);
    if (kept == 0 || kept == n) continue;
    Shape start(a.ndim(), 0), stop = a.shape();
    start[axis] = kept;
    const array tail = slice(out, start, a.shape());
    stop[axis] = kept;
    out = concatenate({tail, slice(out, Shape(a.ndim(), 0), stop)}, axis);
  }
  return out;
}

}  // namespace

array fftfreq(int n, double d) {
  check_spacing("fft::fftfreq", n, d);
  const int positive = (n + 1) / 2;
  return concatenate({frequencies(0, positive, n, d), frequencies(positive - n, 0, n, d)});
}
array rfftfreq(int n, double d) {
  check_spacing("fft::rfftfreq", n, d);
  return frequencies(0, n / 2 + 1, n, d);
}

array fftshift(const array& a, const std::vector<int>& axes) {
  return rotated("fft::fftshift", a, axes, [](ShapeElem n) { return n / 2; });
}
array fftshift(const array& a) {
  return fftshift(a, detail::all_axes(a));
}
array ifftshift(const array& a, const std::vector<int>& axes) {
  return rotated("fft::ifftshift", a, axes, [](ShapeElem n) { return n - n / 2; });
}
array ifftshift(const array& a) {
  return ifftshift(a, detail::all_axes(a));
}

}  // namespace fft
}  // namespace tessera

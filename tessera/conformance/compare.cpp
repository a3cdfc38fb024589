#include "tessera/conformance/internal/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace tessera::conformance {

namespace {

struct Format {
  int mantissa_bits;
  int least_exponent;
};

Format format_of(Dtype dtype) {
  if (dtype == float16) return {10, -14};
  if (dtype == bfloat16) return {7, -126};
  return {23, -126};
}

}  // namespace

double ulp(double value, Dtype dtype) {
  const Format f = format_of(dtype);
  const int exponent = value == 0 ? f.least_exponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, f.least_exponent) - f.mantissa_bits);
}

namespace {

template <class T>
std::vector<double> widened(const HostTensor& t) {
  std::vector<double> out;
  for (const T& v : t.values<T>()) out.push_back(static_cast<double>(v));
  return out;
}

}  // namespace

std::vector<double> as_doubles(const HostTensor& t) {
  switch (t.dtype()) {
    case Dtype::Val::bool_: return widened<bool>(t);
    case Dtype::Val::uint8: return widened<std::uint8_t>(t);
    case Dtype::Val::uint16: return widened<std::uint16_t>(t);
    case Dtype::Val::uint32: return widened<std::uint32_t>(t);
    case Dtype::Val::uint64: return widened<std::uint64_t>(t);
    case Dtype::Val::int8: return widened<std::int8_t>(t);
    case Dtype::Val::int16: return widened<std::int16_t>(t);
    case Dtype::Val::int32: return widened<std::int32_t>(t);
    case Dtype::Val::int64: return widened<std::int64_t>(t);
    case Dtype::Val::float16: return widened<float16_t>(t);
    case Dtype::Val::bfloat16: return widened<bfloat16_t>(t);
    case Dtype::Val::complex64: {  // real and imaginary parts in turn
      std::vector<double> parts;
      for (const complex64_t& v : t.values<complex64_t>()) {
        parts.push_back(v.real());
        parts.push_back(v.imag());
      }
      return parts;
    }
    default: return widened<float>(t);
  }
}

namespace {

std::string describe(const HostTensor& t) {
  return fmt::format("{} {}", to_string(t.dtype()), to_string(t.shape()));
}

}  // namespace

std::optional<std::string> difference(const HostTensor& got, const HostTensor& want,
                                      Tolerance tolerance, bool exact) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape()) {
    return fmt::format("gave {}, not {}", describe(got), describe(want));
  }
  const std::vector<double> a = as_doubles(got);
  const std::vector<double> b = as_doubles(want);
  double largest = 0;
  for (double v : b) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  const std::size_t width = a.empty() ? 0 : got.nbytes() / a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (exact) {
      if (std::memcmp(got.data() + i * width, want.data() + i * width, width) == 0) continue;
      return fmt::format("element {} is {}, not exactly {}", i, a[i], b[i]);
    }
    if (a[i] == b[i]) continue;
    // MLX's vector code gives 0 for a result below float32's normal numbers.
    if (b[i] == 0 && tolerance.ulps > 0 && std::abs(a[i]) < 0x1p-126) continue;
    const double allowed =
        tolerance.ulps * ulp(b[i], want.dtype()) + tolerance.of_largest * largest;
    const double error = std::abs(a[i] - b[i]);
    if (std::isfinite(b[i]) && error <= allowed) continue;
    return fmt::format("element {} is {}, not {} ({:.3g} ulp, {:.3g} of the largest)", i, a[i],
                       b[i], error / ulp(b[i], want.dtype()), error / std::max(largest, 1e-300));
  }
  return std::nullopt;
}

}  // namespace tessera::conformance

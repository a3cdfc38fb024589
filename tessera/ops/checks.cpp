#include "tessera/ops/internal/checks.h"

#include <numeric>

namespace tessera::detail {

std::string describe(const array& a) {
  return fmt::format("{} {}", to_string(a.dtype()), to_string(a.shape()));
}

void check_count(const char* op, std::span<const array> in, std::size_t least, std::size_t most) {
  if (in.size() < least || in.size() > most) {
    fail(ErrorCode::invalid_argument, op, "takes {} to {} inputs, got {}", least, most, in.size());
  }
}

void check_floating(const char* op, const array& a) {
  if (!is_floating(a.dtype())) {
    fail(ErrorCode::unsupported_dtype, op, "needs a floating dtype, got {}; cast with astype first",
         describe(a));
  }
}

void check_rank(const char* op, const array& a, std::size_t least) {
  if (a.ndim() < least) {
    fail(ErrorCode::shape_mismatch, op, "needs at least {} dimensions, got {}", least, describe(a));
  }
}

std::vector<int> all_axes(const array& a) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Dtype at_least_float(Dtype dtype) {
  return issubdtype(dtype, Dtype::Category::inexact) ? dtype : float32;
}

namespace {

template <class T>
HostTensor one(T value) {
  return HostTensor::from(std::span<const T>(&value, 1), Shape{});
}

// Integers keep their low bits, as a cast of the 64-bit value would.
std::uint64_t integer_bits(double value) {
  if (value >= 0x1p63 && value < 0x1p64) return static_cast<std::uint64_t>(value);
  if (!(value >= -0x1p63 && value < 0x1p63)) return 0;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

}  // namespace

array scalar(double value, Dtype dtype, const BackendPtr& backend) {
  const std::uint64_t bits = integer_bits(value);
  switch (dtype) {
    case Dtype::Val::bool_: return array(one(value != 0), backend);
    case Dtype::Val::uint8: return array(one(static_cast<std::uint8_t>(bits)), backend);
    case Dtype::Val::uint16: return array(one(static_cast<std::uint16_t>(bits)), backend);
    case Dtype::Val::uint32: return array(one(static_cast<std::uint32_t>(bits)), backend);
    case Dtype::Val::uint64: return array(one(bits), backend);
    case Dtype::Val::int8: return array(one(static_cast<std::int8_t>(bits)), backend);
    case Dtype::Val::int16: return array(one(static_cast<std::int16_t>(bits)), backend);
    case Dtype::Val::int32: return array(one(static_cast<std::int32_t>(bits)), backend);
    case Dtype::Val::int64: return array(one(static_cast<std::int64_t>(bits)), backend);
    case Dtype::Val::float16: return array(one(float16_t(static_cast<float>(value))), backend);
    case Dtype::Val::float32: return array(one(static_cast<float>(value)), backend);
    case Dtype::Val::float64: return array(one(value), backend);
    case Dtype::Val::bfloat16: return array(one(bfloat16_t(static_cast<float>(value))), backend);
    case Dtype::Val::complex64: break;
  }
  return array(one(complex64_t(static_cast<float>(value))), backend);
}

}  // namespace tessera::detail

// Expanding codes with arithmetic alone: words of bits are taken apart as floats, which hold 16
// bits exactly, by multiplying with powers of two and dropping fractions.
#include <bit>
#include <cmath>

#include "tessera/core/microfloat.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/quantize.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

array constants(const std::vector<float>& values, const BackendPtr& backend) {
  return array(HostTensor::from(std::span<const float>(values),
                                Shape{static_cast<ShapeElem>(values.size())}),
               backend);
}

array powers_of_two(int first, int step, int count, const BackendPtr& backend) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(std::ldexp(1.0f, first + i * step));
  return constants(values, backend);
}

// uint32 [..., words] to float32 [..., words, 2], the low half first. A multiplication that wraps
// leaves the low half alone, at the top of the word.
array halves_of(const array& words) {
  const array top = detail::scalar(65536, uint32, words.backend());
  const array low = floor(astype(words * top, float32) * 0x1p-16f);
  const array high = astype(words - astype(low, uint32), float32) * 0x1p-16f;
  return concatenate({expand_dims(low, -1), expand_dims(high, -1)}, -1);
}

// uint32 [..., N, words] to float32 [..., N, K] of whole numbers below 2^bits.
array codes_of(const array& words, int bits, ShapeElem k) {
  // A width that divides 16 never straddles two halves; the others go bit by bit.
  const int field = 16 % bits == 0 ? bits : 1;
  const int count = 16 / field;
  const array half = expand_dims(halves_of(words), -1);
  const array above = floor(half * powers_of_two(0, -field, count, words.backend()));
  const array beyond = floor(half * powers_of_two(-field, -field, count, words.backend()));
  const array fields = above - beyond * std::ldexp(1.0f, field);
  Shape shape = words.shape();
  shape.back() = k;
  if (field == bits) return reshape(fields, shape);
  shape.push_back(bits);
  return sum(reshape(fields, shape) * powers_of_two(0, 1, bits, words.backend()), -1);
}

// float32 values of every code of a format.
array table_of(float (*value)(std::uint8_t), int count, const BackendPtr& backend) {
  std::vector<float> values;
  for (int code = 0; code < count; ++code) values.push_back(value(static_cast<std::uint8_t>(code)));
  return constants(values, backend);
}

}  // namespace

std::vector<array> DequantizeGroups::lower(std::span<const array> in) const {
  const Shape shape = infer(in).shape;
  const BackendPtr& backend = in[0].backend();
  const array codes = codes_of(in[0], groups.bits, shape.back());
  // [..., N, groups, 1] against [..., N, groups, group_size]
  Shape grouped = shape;
  grouped.back() = shape.back() / groups.group_size;
  grouped.push_back(groups.group_size);
  const auto per_group = [](const array& a) { return expand_dims(a, -1); };
  if (groups.has_integer_codes()) {
    const array scales = per_group(in[1]);
    const array biases = groups.has_biases() ? per_group(in[2]) : scales * groups.symmetric_bias();
    const array values = reshape(astype(codes, scales.dtype()), grouped) * scales + biases;
    return {astype(reshape(values, shape), dtype)};
  }
  const bool wide = groups.mode == QuantMode::mxfp8;
  const array table = table_of(wide ? from_e4m3 : from_e2m1, wide ? 256 : 16, backend);
  const array scales =
      table_of(groups.mode == QuantMode::nvfp4 ? from_e4m3 : from_e8m0, 256, backend);
  const array values = reshape(astype(take(table, astype(codes, int32), 0), dtype), grouped);
  return {reshape(values * per_group(astype(take(scales, in[1], 0), dtype)), shape)};
}

// A code's magnitude is the number of midpoints that lie below the value.
std::vector<array> ToFp8::lower(std::span<const array> in) const {
  const array x = astype(in[0], float32);
  std::vector<float> midpoints;
  for (int code = 0; code < 0x7e; ++code) {
    const float middle = (from_e4m3(static_cast<std::uint8_t>(code)) +
                          from_e4m3(static_cast<std::uint8_t>(code + 1))) /
                         2;
    // A tie goes to the even code, which is the upper one when this one is odd.
    midpoints.push_back(code % 2 == 0 ? middle : std::nextafter(middle, 0.0f));
  }
  const array above = expand_dims(abs(x), -1) > constants(midpoints, x.backend());
  const array magnitude =
      where(x == x, sum(astype(above, int32), -1), detail::scalar(0x7e, int32, x.backend()));
  const array negative = where(x == 0.0f, reciprocal(x) < 0.0f, x < 0.0f);
  return {astype(magnitude + astype(negative, int32) * 0x80, uint8)};
}

std::vector<array> FromFp8::lower(std::span<const array> in) const {
  return {astype(take(table_of(from_e4m3, 256, in[0].backend()), in[0], 0), dtype)};
}

}  // namespace tessera

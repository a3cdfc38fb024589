// The numbers of a matrix that is quantised in groups, row by row.
#include <algorithm>
#include <cmath>

#include "tessera/core/half.h"
#include "tessera/core/microfloat.h"
#include "tessera/core/quant_groups.h"

namespace tessera {

namespace {

/// Codes into a row's words, lowest bits first.
class CodeWriter {
 public:
  CodeWriter(std::uint32_t* words, int bits) : words_(words), bits_(bits) {}
  void put(std::uint32_t code) {
    pending_ |= std::uint64_t{code} << filled_;
    filled_ += bits_;
    if (filled_ < 32) return;
    *words_++ = static_cast<std::uint32_t>(pending_);
    pending_ >>= 32;
    filled_ -= 32;
  }

 private:
  std::uint32_t* words_;
  int bits_;
  std::uint64_t pending_ = 0;
  int filled_ = 0;
};

/// What a group of integer codes is measured by: code = (w - bias) / scale + offset.
struct IntegerTerms {
  float scale, bias, offset;
};

template <class T>
IntegerTerms affine_terms(const T* w, const QuantGroups& groups) {
  float low = INFINITY;
  float high = -INFINITY;
  for (int i = 0; i < groups.group_size; ++i) {
    const float value = w[i];
    // Written so that NaN is left out.
    if (value > high) high = value;
    if (value < low) low = value;
  }
  const auto steps = static_cast<float>((1 << groups.bits) - 1);
  const float step = std::max((high - low) / steps, 1e-7f);
  if (groups.bits == 1) return {step, low, 0};
  const bool from_low = std::abs(low) > std::abs(high);
  const float scale = from_low ? step : -step;
  const float edge = from_low ? low : high;
  const float steps_to_zero = std::rint(edge / scale);
  if (steps_to_zero == 0) return {scale, 0, 0};
  return {edge / steps_to_zero, edge, 0};
}

template <class T>
IntegerTerms symmetric_terms(const T* w, const QuantGroups& groups) {
  float edge = 0;
  for (int i = 0; i < groups.group_size; ++i) {
    if (std::abs(static_cast<float>(w[i])) > std::abs(edge)) edge = w[i];
  }
  return {static_cast<T>(edge / groups.symmetric_bias()), 0, -groups.symmetric_bias()};
}

template <class T>
IntegerTerms integer_terms(const T* w, const QuantGroups& groups) {
  return groups.has_biases() ? affine_terms(w, groups) : symmetric_terms(w, groups);
}

template <class T>
void put_integer_codes(const T* w, const QuantGroups& groups, CodeWriter& out) {
  const IntegerTerms terms = integer_terms(w, groups);
  const auto most = static_cast<float>((1 << groups.bits) - 1);
  for (int i = 0; i < groups.group_size; ++i) {
    const float steps = (static_cast<float>(w[i]) - terms.bias) / terms.scale;
    float code = std::rint(steps) + terms.offset;
    if (terms.scale == 0) code = terms.offset;
    // NaN fails the first comparison.
    out.put(code > 0 ? static_cast<std::uint32_t>(std::min(code, most)) : 0);
  }
}

/// The scale of a group of floats: as it is stored, and as w is divided by it.
template <class T>
struct FloatScale {
  std::uint8_t stored;
  T divisor;
};

constexpr std::uint8_t kE8m0Nan = 255;

template <class T>
FloatScale<T> float_scale(const T* w, const QuantGroups& groups) {
  float largest = 0;
  for (int i = 0; i < groups.group_size; ++i) {
    const float magnitude = std::abs(static_cast<float>(w[i]));
    if (!(magnitude <= largest) && !std::isnan(largest)) largest = magnitude;
  }
  const float most = groups.mode == QuantMode::mxfp8 ? 448.0f : 6.0f;
  const float scale = T(largest / most);
  if (groups.mode == QuantMode::nvfp4) {
    const std::uint8_t stored = to_e4m3(scale);
    return {stored, T(from_e4m3(stored))};
  }
  if (!std::isfinite(largest)) return {kE8m0Nan, T(1)};
  const float exponent = scale == 0 ? 0.0f : std::ceil(std::log2(scale));
  const int clamped = static_cast<int>(std::max(exponent, -127.0f));
  return {static_cast<std::uint8_t>(clamped + 127), T(std::ldexp(1.0f, clamped))};
}

template <class T>
void put_float_codes(const T* w, const QuantGroups& groups, CodeWriter& out) {
  const FloatScale<T> scale = float_scale(w, groups);
  const bool is_nan = groups.mode != QuantMode::nvfp4 && scale.stored == kE8m0Nan;
  for (int i = 0; i < groups.group_size; ++i) {
    const float value = T(static_cast<float>(w[i]) / static_cast<float>(scale.divisor));
    if (is_nan)
      out.put(0);
    else
      out.put(groups.mode == QuantMode::mxfp8 ? to_e4m3(value) : to_e2m1(value));
  }
}

template <class T>
void quantize(const QuantGroups& groups, QuantPart part, const T* w, std::int64_t k,
              std::byte* out) {
  CodeWriter codes(reinterpret_cast<std::uint32_t*>(out), groups.bits);
  for (std::int64_t g = 0; g < k / groups.group_size; ++g, w += groups.group_size) {
    if (part == QuantPart::codes) {
      if (groups.has_integer_codes())
        put_integer_codes(w, groups, codes);
      else
        put_float_codes(w, groups, codes);
    } else if (!groups.has_integer_codes()) {
      reinterpret_cast<std::uint8_t*>(out)[g] = float_scale(w, groups).stored;
    } else {
      const IntegerTerms terms = integer_terms(w, groups);
      reinterpret_cast<T*>(out)[g] = T(part == QuantPart::scales ? terms.scale : terms.bias);
    }
  }
}

}  // namespace

void quantize_row(const QuantGroups& groups, QuantPart part, const float* w, std::int64_t k,
                  std::byte* out) {
  quantize(groups, part, w, k, out);
}
void quantize_row(const QuantGroups& groups, QuantPart part, const float16_t* w, std::int64_t k,
                  std::byte* out) {
  quantize(groups, part, w, k, out);
}
void quantize_row(const QuantGroups& groups, QuantPart part, const bfloat16_t* w, std::int64_t k,
                  std::byte* out) {
  quantize(groups, part, w, k, out);
}

}  // namespace tessera

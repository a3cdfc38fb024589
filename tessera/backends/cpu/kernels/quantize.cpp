// Quantising in groups and expanding again, row by row; float8 conversion.
#include "tessera/ops/quantize.h"

#include <cmath>

#include "tessera/backends/cpu/grouped_matrix.h"
#include "tessera/core/microfloat.h"

namespace tessera::cpu {

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

class CodeReader {
 public:
  CodeReader(const std::uint32_t* words, int bits) : words_(words), bits_(bits) {}
  std::uint32_t next() {
    if (left_ < bits_) {
      pending_ |= std::uint64_t{*words_++} << left_;
      left_ += 32;
    }
    const auto code = static_cast<std::uint32_t>(pending_) & ((1u << bits_) - 1);
    pending_ >>= bits_;
    left_ -= bits_;
    return code;
  }

 private:
  const std::uint32_t* words_;
  int bits_;
  std::uint64_t pending_ = 0;
  int left_ = 0;
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
void quantize_row(const Quantize& op, const T* w, std::int64_t k, std::byte* out) {
  const QuantGroups& groups = op.groups;
  CodeWriter codes(reinterpret_cast<std::uint32_t*>(out), groups.bits);
  for (std::int64_t g = 0; g < k / groups.group_size; ++g, w += groups.group_size) {
    if (op.part == QuantPart::codes) {
      if (groups.has_integer_codes())
        put_integer_codes(w, groups, codes);
      else
        put_float_codes(w, groups, codes);
    } else if (!groups.has_integer_codes()) {
      reinterpret_cast<std::uint8_t*>(out)[g] = float_scale(w, groups).stored;
    } else {
      const IntegerTerms terms = integer_terms(w, groups);
      reinterpret_cast<T*>(out)[g] = T(op.part == QuantPart::scales ? terms.scale : terms.bias);
    }
  }
}

// run(row) for the rows of a matrix of k columns, in parallel.
template <class Run>
void over_rows(ThreadPool& pool, std::int64_t rows, std::int64_t k, Run run) {
  pool.parallel_for(rows, 1 + 8192 / (k + 1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) run(row);
  });
}

TensorPtr quantize_kernel(Context& ctx, const Quantize& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr w = ctx.contiguous(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const std::int64_t k = w->shape().back();
  if (k == 0) return y;
  const std::int64_t bytes = out.shape.back() * out.dtype.size();
  dispatch_floating(w->dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, double>) {
      over_rows(ctx.pool, w->size() / k, k, [&](std::int64_t row) {
        quantize_row(op, w->data<T>() + row * k, k, y->bytes() + row * bytes);
      });
    }
  });
  return y;
}

/// A row in a half type, rounded after each step.
template <class T>
void dequantize_row(const QuantGroups& groups, const isa::GroupedRows& rows, std::int64_t row,
                    std::int64_t k, T* out) {
  CodeReader codes(static_cast<const std::uint32_t*>(rows.codes) + row * rows.codes_stride / 4,
                   groups.bits);
  for (std::int64_t g = row * rows.scales_stride; k > 0; ++g, k -= groups.group_size) {
    if (groups.has_integer_codes()) {
      const T scale = static_cast<const T*>(rows.scales)[g];
      const float bias = groups.has_biases() ? static_cast<const T*>(rows.biases)[g]
                                             : T(static_cast<float>(scale) * rows.bias_per_scale);
      for (int i = 0; i < groups.group_size; ++i) {
        const T product = static_cast<float>(scale) * static_cast<float>(codes.next());
        *out++ = T(static_cast<float>(product) + bias);
      }
      continue;
    }
    const std::uint8_t stored = static_cast<const std::uint8_t*>(rows.scales)[g];
    const T scale = groups.mode == QuantMode::nvfp4 ? from_e4m3(stored) : from_e8m0(stored);
    for (int i = 0; i < groups.group_size; ++i) {
      const auto code = static_cast<std::uint8_t>(codes.next());
      const float value = groups.mode == QuantMode::mxfp8 ? from_e4m3(code) : from_e2m1(code);
      *out++ = T(value * static_cast<float>(scale));
    }
  }
}

TensorPtr dequantize_kernel(Context& ctx, const DequantizeGroups& op, Inputs in,
                            const TensorSpec& out) {
  const GroupedWeight weight(ctx, in, op.groups);
  const isa::GroupedMatrix w = weight.from_row(0);
  const Dtype asked = op.groups.has_integer_codes() ? in[1]->dtype() : op.dtype;
  const Dtype steps = asked.size() == 2 ? asked : float32;
  const CpuTensorPtr y = ctx.make({out.shape, steps});
  const std::int64_t k = out.shape.back();
  dispatch_floating(steps, [&]<class T>() {
    over_rows(ctx.pool, weight.rows(), k, [&](std::int64_t row) {
      T* to = y->data<T>() + row * k;
      if constexpr (is_half<T>)
        dequantize_row(op.groups, w.rows, row, k, to);
      else if constexpr (std::is_same_v<T, float>)
        isa::dequantize(w, row, k, to);
    });
  });
  if (steps == out.dtype) return y;
  CpuTensorPtr cast = ctx.make(out);
  copy_elements(ctx, *y, *cast);
  return cast;
}

// y[i] = convert(x[i]) for contiguous x.
template <class From, class To, class Convert>
void convert_each(ThreadPool& pool, const CpuTensor& x, CpuTensor& y, Convert convert) {
  const From* from = x.data<From>();
  To* to = y.data<To>();
  pool.parallel_for(x.size(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = To(convert(from[i]));
  });
}

TensorPtr to_fp8_kernel(Context& ctx, const ToFp8&, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr x = ctx.to_float32(in[0]);
  CpuTensorPtr y = ctx.make(out);
  convert_each<float, std::uint8_t>(ctx.pool, *x, *y, to_e4m3);
  return y;
}

TensorPtr from_fp8_kernel(Context& ctx, const FromFp8&, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr x = ctx.contiguous(in[0]);
  CpuTensorPtr y = ctx.make(out);
  dispatch_floating(out.dtype,
                    [&]<class T>() { convert_each<std::uint8_t, T>(ctx.pool, *x, *y, from_e4m3); });
  return y;
}

}  // namespace

void register_quantize(KernelRegistry& table) {
  table.add<Quantize, quantize_kernel>();
  table.add<DequantizeGroups, dequantize_kernel>();
  table.add<ToFp8, to_fp8_kernel>();
  table.add<FromFp8, from_fp8_kernel>();
}

}  // namespace tessera::cpu

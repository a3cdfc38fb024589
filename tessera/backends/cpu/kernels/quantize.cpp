// Quantising in groups and expanding again, row by row; float8 conversion.
#include "tessera/ops/quantize.h"

#include "tessera/backends/cpu/grouped_matrix.h"
#include "tessera/core/microfloat.h"

namespace tessera::cpu {

namespace {

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
        quantize_row(op.groups, op.part, w->data<T>() + row * k, k, y->bytes() + row * bytes);
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

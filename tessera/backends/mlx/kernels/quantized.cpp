// Quantised weights: MLX's own layout as it is, GGUF's blocks rewritten once into it.
#include "tessera/ops/quantized.h"

#include <mlx/transforms.h>

#include <cstring>

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/quantize.h"
#include "tessera/ops/quantized_matmul.h"

namespace tessera::mlx_backend {

namespace {

// --- Groups, as MLX stores them ---

std::string mode_of(const QuantGroups& groups) {
  return groups.has_integer_codes() ? "affine" : std::string(to_string(groups.mode));
}

bool in_mlx(const QuantGroups& groups) {
  return !groups.has_integer_codes() || (groups.group_size >= 32 && groups.bits >= 2);
}

/// Codes, scales and biases; a symmetric matrix gets those that it leaves out. scales_dtype: of
/// scales and biases that are floating.
struct Groups {
  Groups(Call& call, std::size_t first, const QuantGroups& groups, mx::Dtype scales_dtype)
      : codes(call.in[first]),
        scales(groups.has_integer_codes() ? call.cast(call.in[first + 1], scales_dtype)
                                          : call.in[first + 1]) {
    if (groups.has_biases()) {
      biases = call.cast(call.in[first + 2], scales_dtype);
    } else if (groups.has_integer_codes()) {
      const mx::array factor(groups.symmetric_bias(), scales_dtype);
      biases = mx::multiply(scales, factor, call.stream);
    }
  }
  mx::array codes, scales;
  std::optional<mx::array> biases;
};

bool takes_dequantize_groups(const DequantizeGroups& op, std::span<const TensorPtr> in, bool) {
  return in_mlx(op.groups) && num_elements(in[0]->shape()) != 0;
}

mx::array dequantize_groups(Call& call, const DequantizeGroups& op) {
  const QuantGroups& q = op.groups;
  const Groups w(call, 0, q, call.in[1].dtype());
  std::optional<mx::Dtype> dtype;
  if (!q.has_integer_codes()) dtype = call.out_dtype();
  return call.result(mx::dequantize(w.codes, w.scales, w.biases, q.group_size, q.bits, mode_of(q),
                                    std::nullopt, dtype, call.stream));
}

Shape batch_of(const TensorPtr& t) {
  return Shape(t->shape().begin(), t->shape().end() - 2);
}

// MLX reads one matrix when the weight alone has batch axes.
bool takes_quantized_matmul(const QuantizedMatmul& op, std::span<const TensorPtr> in, bool) {
  const Shape batch = batch_of(in[1]);
  return in_mlx(op.groups) && num_elements(in[1]->shape()) != 0 &&
         num_elements(in[0]->shape()) != 0 &&
         (batch.empty() || (in[0]->shape().size() >= 2 && batch == batch_of(in[0])));
}

// On the CPU in float32, where MLX would round each weight and sum in the half type.
mx::Dtype product_dtype(Call& call) {
  const mx::Dtype out = call.out_dtype();
  return call.on_cpu() && out.size() == 2 ? mx::float32 : out;
}

mx::array quantized_matmul(Call& call, const QuantizedMatmul& op) {
  const mx::Dtype dtype = product_dtype(call);
  const QuantGroups& q = op.groups;
  const Groups w(call, 1, q, dtype);
  return call.result(mx::quantized_matmul(call.cast(call.in[0], dtype), w.codes, w.scales, w.biases,
                                          op.transpose, q.group_size, q.bits, mode_of(q),
                                          call.stream));
}

// --- The host's reference ---

// The values of an array, now. Ends laziness: for what happens once, when weights are loaded.
mx::array evaluated(Call& call, const mx::array& x) {
  mx::array dense = mx::contiguous(x, false, call.stream);
  dense.eval();
  return dense;
}

mx::array from_bytes(Call& call, const HostTensor& host) {
  auto* owner = new HostTensor(host);
  return mx::array(const_cast<std::byte*>(host.data()), call.out_shape(), to_mlx(host.dtype()),
                   [owner](void*) { delete owner; });
}

// MLX's own quantize differs in groups with NaN and at the ends of the fp modes' ranges.
mx::array quantize(Call& call, const Quantize& op) {
  const mx::array w = evaluated(call, call.in[0]);
  HostTensor out(call.out.shape, call.out.dtype);
  const std::int64_t k = w.shape(-1);
  const std::int64_t row_bytes = call.out.shape.back() * call.out.dtype.size();
  const std::int64_t rows = static_cast<std::int64_t>(w.size()) / k;
  const auto run = [&](const auto* data) {
    for (std::int64_t r = 0; r < rows; ++r) {
      quantize_row(op.groups, op.part, data + r * k, k, out.mutable_data() + r * row_bytes);
    }
  };
  switch (from_mlx(w.dtype())) {
    case Dtype::Val::float16: run(reinterpret_cast<const float16_t*>(w.data<std::byte>())); break;
    case Dtype::Val::bfloat16: run(reinterpret_cast<const bfloat16_t*>(w.data<std::byte>())); break;
    default: run(w.data<float>()); break;
  }
  return from_bytes(call, out);
}

mx::array dequantize(Call& call, const Dequantize& op) {
  const mx::array packed = evaluated(call, call.in[0]);
  HostTensor out(call.out.shape, float32);
  const std::int64_t bytes = packed.shape(-1);
  auto* values = reinterpret_cast<float*>(out.mutable_data());
  for (std::int64_t r = 0; r < static_cast<std::int64_t>(packed.size()) / bytes; ++r) {
    dequantize_row(op.type, packed.data<std::byte>() + r * bytes, values + r * op.columns,
                   op.columns);
  }
  return call.result(from_bytes(call, out));
}

// --- GGUF's blocks, rewritten as groups of 32 with float32 scales: no value changes ---

struct BlockFormat {
  int bits;
  std::size_t codes_at;  ///< where the nibbles or bytes begin in a block
  bool has_minimum;
};

std::optional<BlockFormat> block_format(QuantType type) {
  switch (type) {
    case QuantType::q4_0: return BlockFormat{4, 2, false};
    case QuantType::q4_1: return BlockFormat{4, 4, true};
    case QuantType::q8_0: return BlockFormat{8, 2, false};
    default: return std::nullopt;
  }
}

float half_at(const std::byte* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, 2);
  return float16_t::to_float(bits);
}

void repack_block(const std::byte* block, const BlockFormat& f, std::uint32_t* codes, float* scale,
                  float* bias) {
  *scale = half_at(block);
  *bias = f.has_minimum ? half_at(block + 2) : *scale * (f.bits == 4 ? -8.0f : -128.0f);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(block) + f.codes_at;
  for (int i = 0; i < 32; ++i) {
    // The low nibbles of a block are its first half. Signed bytes count from 128 on.
    const std::uint32_t code = f.bits == 8 ? bytes[i] ^ 0x80u
                               : i < 16    ? bytes[i] & 15u
                                           : bytes[i - 16] >> 4u;
    codes[i * f.bits / 32] |= code << (i * f.bits % 32);
  }
}

const Repacked& repacked(Call& call, std::size_t input, QuantType type) {
  std::optional<Repacked>& known = as_mlx(call.tensors[input]).repacked();
  if (known && known->type == type) return *known;
  const BlockFormat format = *block_format(type);
  const mx::array packed = evaluated(call, call.in[input]);
  const int rows = packed.shape(0);
  const int blocks = packed.shape(1) / block_bytes(type);
  const Shape words{rows, blocks * format.bits};
  const Shape groups{rows, blocks};
  HostTensor codes(words, uint32), scales(groups, float32), biases(groups, float32);
  auto* to_codes = reinterpret_cast<std::uint32_t*>(codes.mutable_data());
  auto* to_scales = reinterpret_cast<float*>(scales.mutable_data());
  auto* to_biases = reinterpret_cast<float*>(biases.mutable_data());
  for (std::int64_t b = 0; b < std::int64_t{rows} * blocks; ++b) {
    repack_block(packed.data<std::byte>() + b * block_bytes(type), format,
                 to_codes + b * format.bits, to_scales + b, to_biases + b);
  }
  const auto adopt = [](const HostTensor& host) {
    auto* owner = new HostTensor(host);
    return mx::array(const_cast<std::byte*>(host.data()), to_mlx(host.shape()),
                     to_mlx(host.dtype()), [owner](void*) { delete owner; });
  };
  known = Repacked{type, format.bits, adopt(codes), adopt(scales), adopt(biases)};
  return *known;
}

bool takes_quantized_linear(const QuantizedLinear& op, std::span<const TensorPtr> in, bool) {
  return block_format(op.type).has_value() && num_elements(in[0]->shape()) != 0 &&
         num_elements(in[1]->shape()) != 0;
}

mx::array quantized_linear(Call& call, const QuantizedLinear& op) {
  const Repacked& w = repacked(call, 1, op.type);
  mx::array y = mx::quantized_matmul(call.cast(call.in[0], mx::float32), w.codes, w.scales,
                                     w.biases, true, 32, w.bits, "affine", call.stream);
  if (call.in.size() > 2) {
    y = mx::add(y, call.cast(call.in[2], mx::float32), call.stream);
  }
  return call.result(y);
}

bool takes_quantized_embedding(const QuantizedEmbedding& op, std::span<const TensorPtr> in, bool) {
  return block_format(op.type).has_value() && num_elements(in[0]->shape()) != 0 &&
         num_elements(in[1]->shape()) != 0;
}

mx::array quantized_embedding(Call& call, const QuantizedEmbedding& op) {
  const Repacked& w = repacked(call, 1, op.type);
  const mx::array ids =
      call.indices(QuantizedEmbedding::kName, call.in[0], call.tensors[1]->shape()[0]);
  const auto rows = [&](const mx::array& a) { return mx::take(a, ids, 0, call.stream); };
  return call.result(mx::dequantize(rows(w.codes), rows(w.scales), rows(w.biases), 32, w.bits,
                                    "affine", std::nullopt, std::nullopt, call.stream));
}

mx::array to_fp8(Call& call, const ToFp8&) {
  return mx::to_fp8(call.wide(call.in[0]), call.stream);
}
mx::array from_fp8(Call& call, const FromFp8&) {
  return mx::from_fp8(call.in[0], call.out_dtype(), call.stream);
}

}  // namespace

void add_quantized(KernelTable& table) {
  table.add<Quantize, quantize>();
  table.add<Dequantize, dequantize>();
  table.add<ToFp8, to_fp8>();
  table.add<FromFp8, from_fp8>();
  table.add_if<DequantizeGroups, dequantize_groups, takes_dequantize_groups>();
  table.add_if<QuantizedMatmul, quantized_matmul, takes_quantized_matmul>();
  table.add_if<QuantizedLinear, quantized_linear, takes_quantized_linear>();
  table.add_if<QuantizedEmbedding, quantized_embedding, takes_quantized_embedding>();
}

}  // namespace tessera::mlx_backend

#include "tessera/nn/transformer.h"

#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/nn/gradients.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/sdpa.h"
#include "tessera/ops/shape.h"

namespace tessera::nn {

namespace {

int or_else(int dims, int otherwise) {
  return dims != 0 ? dims : otherwise;
}

int mlp_dims(int dims, const TransformerOptions& options) {
  return or_else(options.mlp_dims, 4 * dims);
}

// [B, T, H * D] -> [B, H, T, D]
array split_heads(const array& x, int heads) {
  return swapaxes(reshape(x, {x.shape(0), x.shape(1), heads, -1}), 1, 2);
}

int checked_heads(int dims, int num_heads) {
  if (num_heads < 1 || dims % num_heads != 0) {
    fail(ErrorCode::invalid_argument, "nn::MultiHeadAttention", "{} features do not form {} heads",
         dims, num_heads);
  }
  return num_heads;
}

// A layer's parameters are exchanged while it runs, and put back.
array checkpointed(const Module& layer, const Arrays& inputs,
                   const std::function<array(const Arrays&)>& call) {
  const ArraysFn fn = [call](const Arrays& in) { return Arrays{call(in)}; };
  return checkpoint(const_cast<Module&>(layer), fn)(inputs)[0];
}

double lowest_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::Val::float16: return -65504.0;
    case Dtype::Val::bfloat16: return -0x1.FEp127;
    case Dtype::Val::float32: return -0x1.FFFFFEp127;
    case Dtype::Val::float64: return -0x1.FFFFFFFFFFFFFp1023;
    default:
      fail(ErrorCode::unsupported_dtype, "create_additive_causal_mask",
           "needs a floating dtype, got {}", to_string(dtype));
  }
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(int dims, int num_heads, const MultiHeadAttentionOptions& o)
    : num_heads_(checked_heads(dims, num_heads)),
      query_proj_(or_else(o.query_input_dims, dims), dims, o.bias),
      key_proj_(or_else(o.key_input_dims, dims), dims, o.bias),
      value_proj_(or_else(o.value_input_dims, or_else(o.key_input_dims, dims)),
                  or_else(o.value_dims, dims), o.bias),
      out_proj_(or_else(o.value_dims, dims), or_else(o.value_output_dims, dims), o.bias) {}

array MultiHeadAttention::operator()(const array& queries, const array& keys, const array& values,
                                     const std::optional<array>& mask) const {
  for (const array* a : {&queries, &keys, &values}) {
    if (a->ndim() != 3) {
      fail(ErrorCode::shape_mismatch, "nn::MultiHeadAttention", "needs [B, T, C], got {}",
           to_string(a->shape()));
    }
  }
  const array q = split_heads(query_proj_(queries), num_heads_);
  const array k = split_heads(key_proj_(keys), num_heads_);
  const array v = split_heads(value_proj_(values), num_heads_);
  const auto scale = static_cast<float>(std::sqrt(1.0 / static_cast<double>(q.shape(-1))));
  const array heads = fast::scaled_dot_product_attention(q, k, v, scale, "", mask);
  return out_proj_(reshape(swapaxes(heads, 1, 2), {q.shape(0), q.shape(2), -1}));
}

void MultiHeadAttention::visit(Members& members) {
  members("query_proj", query_proj_);
  members("key_proj", key_proj_);
  members("value_proj", value_proj_);
  members("out_proj", out_proj_);
}

array MultiHeadAttention::create_additive_causal_mask(int N, Dtype dtype) {
  const array positions = arange(N);
  const array later = expand_dims(positions, 1) < expand_dims(positions, 0);
  return astype(later, dtype) * lowest_of(dtype);
}

TransformerEncoderLayer::TransformerEncoderLayer(int dims, int num_heads,
                                                 const TransformerOptions& options)
    : attention_(dims, num_heads),
      ln1_(dims),
      ln2_(dims),
      linear1_(dims, mlp_dims(dims, options)),
      linear2_(mlp_dims(dims, options), dims),
      dropout1_(options.dropout),
      dropout2_(options.dropout),
      activation_(options.activation),
      norm_first_(options.norm_first) {}

array TransformerEncoderLayer::mlp(const array& x) const {
  return linear2_(dropout2_(activation_(linear1_(x))));
}

array TransformerEncoderLayer::operator()(const array& x, const std::optional<array>& mask) const {
  if (norm_first_) {
    const array y = ln1_(x);
    const array h = x + dropout1_(attention_(y, y, y, mask));
    return h + mlp(ln2_(h));
  }
  const array h = ln1_(x + dropout1_(attention_(x, x, x, mask)));
  return ln2_(h + mlp(h));
}

void TransformerEncoderLayer::visit(Members& members) {
  members("attention", attention_);
  members("ln1", ln1_);
  members("ln2", ln2_);
  members("linear1", linear1_);
  members("linear2", linear2_);
  members("dropout1", dropout1_);
  members("dropout2", dropout2_);
}

TransformerEncoder::TransformerEncoder(int num_layers, int dims, int num_heads,
                                       const TransformerOptions& options)
    : ln_(dims), checkpoint_(options.checkpoint) {
  for (int i = 0; i < num_layers; ++i) layers_.emplace_back(dims, num_heads, options);
}

array TransformerEncoder::operator()(const array& x, const std::optional<array>& mask) const {
  array h = x;
  for (const TransformerEncoderLayer& layer : layers_) {
    h = checkpoint_ ? checkpointed(layer, {h},
                                   [&layer, mask](const Arrays& in) { return layer(in[0], mask); })
                    : layer(h, mask);
  }
  return ln_(h);
}

void TransformerEncoder::visit(Members& members) {
  members("layers", layers_);
  members("ln", ln_);
}

TransformerDecoderLayer::TransformerDecoderLayer(int dims, int num_heads,
                                                 const TransformerOptions& options)
    : self_attention_(dims, num_heads),
      cross_attention_(dims, num_heads),
      ln1_(dims),
      ln2_(dims),
      ln3_(dims),
      linear1_(dims, mlp_dims(dims, options)),
      linear2_(mlp_dims(dims, options), dims),
      dropout1_(options.dropout),
      dropout2_(options.dropout),
      dropout3_(options.dropout),
      activation_(options.activation),
      norm_first_(options.norm_first) {}

array TransformerDecoderLayer::mlp(const array& x) const {
  return linear2_(dropout3_(activation_(linear1_(x))));
}

array TransformerDecoderLayer::operator()(const array& x, const array& memory,
                                          const std::optional<array>& x_mask,
                                          const std::optional<array>& memory_mask) const {
  if (norm_first_) {
    array y = ln1_(x);
    array h = x + dropout1_(self_attention_(y, y, y, x_mask));
    h = h + dropout2_(cross_attention_(ln2_(h), memory, memory, memory_mask));
    return h + mlp(ln3_(h));
  }
  array h = ln1_(x + dropout1_(self_attention_(x, x, x, x_mask)));
  h = ln2_(h + dropout2_(cross_attention_(h, memory, memory, memory_mask)));
  return ln3_(h + mlp(h));
}

void TransformerDecoderLayer::visit(Members& members) {
  members("self_attention", self_attention_);
  members("cross_attention", cross_attention_);
  members("ln1", ln1_);
  members("ln2", ln2_);
  members("ln3", ln3_);
  members("linear1", linear1_);
  members("linear2", linear2_);
  members("dropout1", dropout1_);
  members("dropout2", dropout2_);
  members("dropout3", dropout3_);
}

TransformerDecoder::TransformerDecoder(int num_layers, int dims, int num_heads,
                                       const TransformerOptions& options)
    : ln_(dims), checkpoint_(options.checkpoint) {
  for (int i = 0; i < num_layers; ++i) layers_.emplace_back(dims, num_heads, options);
}

array TransformerDecoder::operator()(const array& x, const array& memory,
                                     const std::optional<array>& x_mask,
                                     const std::optional<array>& memory_mask) const {
  array h = x;
  for (const TransformerDecoderLayer& layer : layers_) {
    h = checkpoint_ ? checkpointed(layer, {h, memory},
                                   [&layer, x_mask, memory_mask](const Arrays& in) {
                                     return layer(in[0], in[1], x_mask, memory_mask);
                                   })
                    : layer(h, memory, x_mask, memory_mask);
  }
  return ln_(h);
}

void TransformerDecoder::visit(Members& members) {
  members("layers", layers_);
  members("ln", ln_);
}

Transformer::Transformer(int dims, int num_heads, int num_encoder_layers, int num_decoder_layers,
                         const TransformerOptions& options)
    : encoder_(num_encoder_layers, dims, num_heads, options),
      decoder_(num_decoder_layers, dims, num_heads, options) {}

array Transformer::operator()(const array& src, const array& tgt,
                              const std::optional<array>& src_mask,
                              const std::optional<array>& tgt_mask,
                              const std::optional<array>& memory_mask) const {
  return decoder_(tgt, encoder_(src, src_mask), tgt_mask, memory_mask);
}

void Transformer::visit(Members& members) {
  members("encoder", encoder_);
  members("decoder", decoder_);
}

}  // namespace tessera::nn

// Multi-head attention and the encoder-decoder transformer.   source  arXiv:1706.03762
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tessera/nn/activations.h"
#include "tessera/nn/dropout.h"
#include "tessera/nn/linear.h"
#include "tessera/nn/normalization.h"

namespace tessera::nn {

struct MultiHeadAttentionOptions {
  // Features; 0 takes dims, and value_input_dims those of the keys.
  int query_input_dims = 0;
  int key_input_dims = 0;
  int value_input_dims = 0;
  int value_dims = 0;  ///< of all heads' values together
  int value_output_dims = 0;
  bool bias = false;
};

class MultiHeadAttention : public Module {
 public:
  /// errors  invalid_argument unless num_heads divides dims
  MultiHeadAttention(int dims, int num_heads, const MultiHeadAttentionOptions& options = {});

  /// queries [B, L, Kq], keys [B, S, Kk], values [B, S, Kv] -> [B, L, value_output_dims]
  /// mask     bool keeps where true, floating is added; broadcast to [B, H, L, S]
  /// errors   shape_mismatch
  array operator()(const array& queries, const array& keys, const array& values,
                   const std::optional<array>& mask = std::nullopt) const;
  void visit(Members& members) override;

  /// [N, N]: 0 where a position may look, the dtype's lowest number above the diagonal.
  /// errors  unsupported_dtype unless floating
  static array create_additive_causal_mask(int N, Dtype dtype = float32);

 private:
  int num_heads_;
  Linear query_proj_, key_proj_, value_proj_, out_proj_;
};

using Activation = std::function<array(const array&)>;

struct TransformerOptions {
  int mlp_dims = 0;  ///< 0 is 4 dims
  double dropout = 0.0;
  Activation activation = relu;
  /// Normalise before attention and MLP instead of after adding them (arXiv:2002.04745).
  bool norm_first = true;
  /// Compute what is inside a layer anew for its gradient instead of keeping it.
  bool checkpoint = false;
};

class TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(int dims, int num_heads, const TransformerOptions& options = {});
  /// x [B, L, dims] -> the same shape; mask as for MultiHeadAttention.
  array operator()(const array& x, const std::optional<array>& mask = std::nullopt) const;
  void visit(Members& members) override;

 private:
  array mlp(const array& x) const;

  MultiHeadAttention attention_;
  LayerNorm ln1_, ln2_;
  Linear linear1_, linear2_;
  Dropout dropout1_, dropout2_;
  Activation activation_;
  bool norm_first_;
};

class TransformerEncoder : public Module {
 public:
  TransformerEncoder(int num_layers, int dims, int num_heads,
                     const TransformerOptions& options = {});
  array operator()(const array& x, const std::optional<array>& mask = std::nullopt) const;
  void visit(Members& members) override;

 private:
  std::vector<TransformerEncoderLayer> layers_;
  LayerNorm ln_;
  bool checkpoint_;
};

class TransformerDecoderLayer : public Module {
 public:
  TransformerDecoderLayer(int dims, int num_heads, const TransformerOptions& options = {});
  /// x [B, L, dims] attends to itself and to memory [B, S, dims].
  array operator()(const array& x, const array& memory,
                   const std::optional<array>& x_mask = std::nullopt,
                   const std::optional<array>& memory_mask = std::nullopt) const;
  void visit(Members& members) override;

 private:
  array mlp(const array& x) const;

  MultiHeadAttention self_attention_, cross_attention_;
  LayerNorm ln1_, ln2_, ln3_;
  Linear linear1_, linear2_;
  Dropout dropout1_, dropout2_, dropout3_;
  Activation activation_;
  bool norm_first_;
};

class TransformerDecoder : public Module {
 public:
  TransformerDecoder(int num_layers, int dims, int num_heads,
                     const TransformerOptions& options = {});
  array operator()(const array& x, const array& memory,
                   const std::optional<array>& x_mask = std::nullopt,
                   const std::optional<array>& memory_mask = std::nullopt) const;
  void visit(Members& members) override;

 private:
  std::vector<TransformerDecoderLayer> layers_;
  LayerNorm ln_;
  bool checkpoint_;
};

class Transformer : public Module {
 public:
  explicit Transformer(int dims = 512, int num_heads = 8, int num_encoder_layers = 6,
                       int num_decoder_layers = 6, const TransformerOptions& options = {});
  /// src [B, S, dims], tgt [B, L, dims] -> [B, L, dims]
  array operator()(const array& src, const array& tgt,
                   const std::optional<array>& src_mask = std::nullopt,
                   const std::optional<array>& tgt_mask = std::nullopt,
                   const std::optional<array>& memory_mask = std::nullopt) const;
  void visit(Members& members) override;

 private:
  TransformerEncoder encoder_;
  TransformerDecoder decoder_;
};

}  // namespace tessera::nn

#include "tessera/models/llama/decoder.h"

#include <fmt/format.h>

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/nn/linear.h"
#include "tessera/nn/normalization.h"
#include "tessera/ops/ops.h"

namespace tessera::models {

namespace {

// What every layer of one forward pass shares.
struct Pass {
  array offset;               // int32 position of the first token, scalar or [B]
  std::optional<array> mask;  // bool [B, 1, 1, S]: false on padding; only for ragged batches
};

class Attention : public nn::Module {
 public:
  Attention(const LlamaConfig& c, const WeightSource& w, const std::string& prefix, bool sliding,
            const std::vector<float>& rope_divisors, QuantCompute compute)
      : heads_(c.num_attention_heads),
        kv_heads_(c.num_key_value_heads),
        head_dim_(c.head_dim),
        q_(projection(w, prefix + "q_proj", heads_ * head_dim_, c.hidden_size)),
        k_(projection(w, prefix + "k_proj", kv_heads_ * head_dim_, c.hidden_size)),
        v_(projection(w, prefix + "v_proj", kv_heads_ * head_dim_, c.hidden_size)),
        o_(projection(w, prefix + "o_proj", c.hidden_size, heads_ * head_dim_)),
        rope_(sliding ? c.local_rope : c.rope, sliding ? std::vector<float>{} : rope_divisors) {
    if (c.qk_norm) {
      q_norm_ = norm(w, c, prefix + "q_norm.weight", head_dim_);
      k_norm_ = norm(w, c, prefix + "k_norm.weight", head_dim_);
    }
    options_.scale = c.attention_scale;
    options_.causal = true;
    options_.window = sliding ? c.sliding_window : 0;
    options_.softcap = c.attn_logit_softcapping;
    for (nn::Linear* layer : {&q_, &k_, &v_, &o_}) layer->set_compute(compute);
  }

  // x [B, T, C] -> [B, T, C]
  array operator()(const array& x, const Pass& pass, nn::KvCache& cache) const {
    array q = split_heads(q_(x), heads_);
    array k = split_heads(k_(x), kv_heads_);
    const array v = split_heads(v_(x), kv_heads_);
    if (q_norm_) {
      q = (*q_norm_)(q);
      k = (*k_norm_)(k);
    }
    q = rope_(q, pass.offset);
    k = rope_(k, pass.offset);
    const auto [keys, values] = cache.update(k, v);
    std::optional<array> mask = pass.mask;
    if (mask && mask->shape(3) != keys.shape(2)) {
      // A window has dropped old positions: the mask's last columns are those that remain.
      mask = slice(*mask, {0, 0, 0, mask->shape(3) - keys.shape(2)}, mask->shape());
    }
    const array out = sdpa(q, keys, values, options_, mask);
    return o_(reshape(swapaxes(out, 1, 2), {x.shape(0), x.shape(1), heads_ * head_dim_}));
  }

  void visit(nn::Members& members) override {
    members("q_proj", q_);
    members("k_proj", k_);
    members("v_proj", v_);
    members("o_proj", o_);
    members("q_norm", q_norm_);
    members("k_norm", k_norm_);
  }

  static nn::Linear projection(const WeightSource& w, const std::string& name, std::int64_t out,
                               std::int64_t in) {
    std::optional<array> bias;
    if (w.find(name + ".bias")) bias = w.get(name + ".bias", {out}).dense();
    return nn::Linear(w.get(name + ".weight", {out, in}), std::move(bias));
  }

  static nn::RMSNorm norm(const WeightSource& w, const LlamaConfig& c, const std::string& name,
                          std::int64_t width) {
    array weight = w.get(name, {width}).dense();
    if (c.norm_adds_one) {
      weight = weight + 1.0f;
      weight.eval();
    }
    return nn::RMSNorm(std::move(weight), c.rms_norm_eps);
  }

 private:
  // [B, T, H * D] -> [B, H, T, D]
  array split_heads(const array& x, std::int64_t heads) const {
    return swapaxes(reshape(x, {x.shape(0), x.shape(1), heads, head_dim_}), 1, 2);
  }

  std::int64_t heads_, kv_heads_, head_dim_;
  nn::Linear q_, k_, v_, o_;
  nn::Rope rope_;
  std::optional<nn::RMSNorm> q_norm_, k_norm_;
  Sdpa options_;
};

class Mlp : public nn::Module {
 public:
  Mlp(const LlamaConfig& c, const WeightSource& w, const std::string& prefix, QuantCompute compute)
      : gelu_(c.gelu),
        gate_(Attention::projection(w, prefix + "gate_proj", c.intermediate_size, c.hidden_size)),
        up_(Attention::projection(w, prefix + "up_proj", c.intermediate_size, c.hidden_size)),
        down_(Attention::projection(w, prefix + "down_proj", c.hidden_size, c.intermediate_size)) {
    for (nn::Linear* layer : {&gate_, &up_, &down_}) layer->set_compute(compute);
  }

  array operator()(const array& x) const {
    const array gate = gate_(x);
    const array up = up_(x);
    return down_(gelu_ ? geglu(gate, up, true) : swiglu(gate, up));
  }

  void visit(nn::Members& members) override {
    members("gate_proj", gate_);
    members("up_proj", up_);
    members("down_proj", down_);
  }

 private:
  bool gelu_;
  nn::Linear gate_, up_, down_;
};

class Layer : public nn::Module {
 public:
  Layer(const LlamaConfig& c, const WeightSource& w, const std::string& prefix, bool sliding,
        const std::vector<float>& rope_divisors, QuantCompute compute)
      : attention_(c, w, prefix + "self_attn.", sliding, rope_divisors, compute),
        mlp_(c, w, prefix + "mlp.", compute),
        input_norm_(Attention::norm(w, c, prefix + "input_layernorm.weight", c.hidden_size)),
        mlp_norm_(Attention::norm(w, c,
                                  prefix + (c.post_norms ? "pre_feedforward_layernorm.weight"
                                                         : "post_attention_layernorm.weight"),
                                  c.hidden_size)) {
    if (c.post_norms) {
      after_attention_ =
          Attention::norm(w, c, prefix + "post_attention_layernorm.weight", c.hidden_size);
      after_mlp_ =
          Attention::norm(w, c, prefix + "post_feedforward_layernorm.weight", c.hidden_size);
    }
  }

  array operator()(const array& x, const Pass& pass, nn::KvCache& cache) const {
    array attended = attention_(input_norm_(x), pass, cache);
    if (after_attention_) attended = (*after_attention_)(attended);
    const array h = x + attended;
    array out = mlp_(mlp_norm_(h));
    if (after_mlp_) out = (*after_mlp_)(out);
    return h + out;
  }

  void visit(nn::Members& members) override {
    members("self_attn", attention_);
    members("mlp", mlp_);
    members("input_layernorm", input_norm_);
    const bool post = after_attention_.has_value();
    members(post ? "pre_feedforward_layernorm" : "post_attention_layernorm", mlp_norm_);
    members("post_attention_layernorm", after_attention_);
    members("post_feedforward_layernorm", after_mlp_);
  }

 private:
  Attention attention_;
  Mlp mlp_;
  nn::RMSNorm input_norm_, mlp_norm_;
  std::optional<nn::RMSNorm> after_attention_, after_mlp_;
};

class LlamaModel final : public LanguageModel {
 public:
  LlamaModel(const LlamaConfig& c, const WeightSource& w, const ModelOptions& options)
      : config_(c),
        dtype_(options.dtype),
        embedding_(w.get("model.embed_tokens.weight", {c.vocab_size, c.hidden_size})),
        norm_(Attention::norm(w, c, "model.norm.weight", c.hidden_size)) {
    std::vector<float> divisors;
    if (const auto d = w.find("rope_freqs.weight")) {
      const array values = d->dense();
      divisors.assign(values.data<float>(), values.data<float>() + values.size());
    }
    for (std::int64_t i = 0; i < c.num_hidden_layers; ++i) {
      layers_.push_back(std::make_unique<Layer>(c, w, fmt::format("model.layers.{}.", i),
                                                c.is_sliding[i], divisors, options.compute));
    }
    embedding_.set_compute(options.compute);
    if (!c.tie_word_embeddings) {
      head_.emplace(w.get("lm_head.weight", {c.vocab_size, c.hidden_size}));
      head_->set_compute(options.compute);
    }
  }

  const std::string& model_type() const override { return config_.model_type; }
  std::int64_t vocab_size() const override { return config_.vocab_size; }
  std::int64_t hidden_size() const override { return config_.hidden_size; }
  std::int64_t num_layers() const override { return config_.num_hidden_layers; }
  const BackendPtr& backend() const override { return embedding_.weight().data.backend(); }
  std::int64_t max_positions() const override { return config_.max_position_embeddings; }

  nn::KvCaches make_cache() const override {
    nn::KvCaches caches;
    for (bool sliding : config_.is_sliding) {
      caches.layers.emplace_back(sliding ? config_.sliding_window : 0);
    }
    return caches;
  }

  array forward(const array& ids, nn::KvCaches& cache,
                const ForwardOptions& options) const override {
    if (ids.ndim() != 2 || cache.layers.size() != layers_.size()) {
      fail(ErrorCode::shape_mismatch, "forward", "needs ids [B, T] and this model's cache, got {}",
           to_string(ids.shape()));
    }
    const BackendScope scope(backend());
    const Pass pass = make_pass(ids, cache.length(), options.left_padding);
    array h = embedding_(ids, dtype_);
    if (config_.embedding_scale != 1.0f) h = h * config_.embedding_scale;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      h = (*layers_[i])(h, pass, cache.layers[i]);
      if (options.hook) h = options.hook(static_cast<int>(i), h);
    }
    return norm_(h);
  }

  array logits(const array& hidden) const override {
    const BackendScope scope(backend());
    array out = head_ ? (*head_)(hidden) : embedding_.as_linear(hidden);
    out = astype(out, float32);
    const float cap = config_.final_logit_softcapping;
    return cap > 0 ? tanh(out / cap) * cap : out;
  }

  void visit(nn::Members& members) override {
    members("model.embed_tokens", embedding_);
    members("model.layers", layers_);
    members("model.norm", norm_);
    members("lm_head", head_);
  }

 private:
  Pass make_pass(const array& ids, std::int64_t length,
                 const std::vector<std::int32_t>& padding) const {
    const auto offset = static_cast<std::int32_t>(length);
    if (padding.empty()) return {array(offset), std::nullopt};
    const std::int64_t batch = ids.shape(0);
    if (static_cast<std::int64_t>(padding.size()) != batch) {
      fail(ErrorCode::shape_mismatch, "forward", "{} paddings for a batch of {}", padding.size(),
           batch);
    }
    // Row b's position 0 is its first real token; what comes before is never seen.
    const array pads(std::span<const std::int32_t>(padding), {batch});
    const array positions = arange(static_cast<int>(length + ids.shape(1)));
    const array seen = reshape(pads, {batch, 1, 1, 1}) <= reshape(positions, {1, 1, 1, -1});
    return {array(offset) - pads, seen};
  }

  LlamaConfig config_;
  Dtype dtype_;
  nn::Embedding embedding_;
  std::vector<std::unique_ptr<Layer>> layers_;
  nn::RMSNorm norm_;
  std::optional<nn::Linear> head_;
};

}  // namespace

std::unique_ptr<LanguageModel> make_llama(const LlamaConfig& config, const WeightSource& weights,
                                          const ModelOptions& options) {
  return std::make_unique<LlamaModel>(config, weights, options);
}

std::unique_ptr<LanguageModel> llama_from_json(std::string_view config_json,
                                               const std::string& file, const WeightSource& weights,
                                               const ModelOptions& options) {
  return make_llama(llama_config_from_json(config_json, file), weights, options);
}

std::unique_ptr<LanguageModel> llama_from_gguf(std::shared_ptr<const GgufFile> file,
                                               const BackendPtr& backend,
                                               const ModelOptions& options) {
  const LlamaConfig config = llama_config_from_gguf(*file);
  const auto rename = [type = config.model_type](std::string_view name) {
    return llama_gguf_name(type, name);
  };
  return make_llama(config, *weights_of(std::move(file), rename, backend), options);
}

std::string llama_gguf_name(std::string_view model_type, std::string_view name) {
  if (name == "model.embed_tokens.weight") return "token_embd.weight";
  if (name == "model.norm.weight") return "output_norm.weight";
  if (name == "lm_head.weight") return "output.weight";
  if (name == "rope_freqs.weight") return "rope_freqs.weight";
  constexpr std::string_view kLayers = "model.layers.";
  if (!name.starts_with(kLayers)) return "";
  name.remove_prefix(kLayers.size());
  const std::size_t dot = name.find('.');
  const std::string_view layer = name.substr(0, dot);
  const std::string_view rest = name.substr(dot + 1);
  const bool gemma = model_type.starts_with("gemma");
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"self_attn.q_proj.", "attn_q."},
      {"self_attn.k_proj.", "attn_k."},
      {"self_attn.v_proj.", "attn_v."},
      {"self_attn.o_proj.", "attn_output."},
      {"self_attn.q_norm.", "attn_q_norm."},
      {"self_attn.k_norm.", "attn_k_norm."},
      {"mlp.gate_proj.", "ffn_gate."},
      {"mlp.up_proj.", "ffn_up."},
      {"mlp.down_proj.", "ffn_down."},
      {"input_layernorm.", "attn_norm."},
      {"post_attention_layernorm.", gemma ? "post_attention_norm." : "ffn_norm."},
      {"pre_feedforward_layernorm.", "ffn_norm."},
      {"post_feedforward_layernorm.", "post_ffw_norm."},
  };
  for (const auto& [hf, gguf] : parts) {
    if (rest.starts_with(hf))
      return fmt::format("blk.{}.{}{}", layer, gguf, rest.substr(hf.size()));
  }
  return "";
}

}  // namespace tessera::models

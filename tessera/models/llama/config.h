// LlamaConfig: one decoder's shape, read from config.json or from GGUF metadata.
//
// Covers Llama 2/3, Mistral, SmolLM2, Qwen 2/2.5, Qwen 3, Gemma 2 and Gemma 3 (text).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/io/gguf.h"
#include "tessera/nn/rope.h"

namespace tessera::models {

/// Fields are named as in Hugging Face's config.json; what a file leaves out keeps the default.
struct LlamaConfig {
  std::string model_type = "llama";
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t max_position_embeddings = 2048;
  float rms_norm_eps = 1e-6f;
  bool tie_word_embeddings = false;

  nn::RopeConfig rope;        ///< of full-attention layers
  nn::RopeConfig local_rope;  ///< of sliding-window layers (Gemma 3 has another base there)

  /// Positions a sliding-window layer sees, 0 for none.
  int sliding_window = 0;
  /// Per layer: whether it slides.
  std::vector<bool> is_sliding;

  /// Score scale; 1/sqrt(head_dim) unless the model says otherwise.
  float attention_scale = 0;
  float attn_logit_softcapping = 0;
  float final_logit_softcapping = 0;

  bool qk_norm = false;          ///< RMSNorm on each head's query and key (Qwen 3, Gemma 3)
  bool gelu = false;             ///< GeGLU (tanh form) instead of SwiGLU
  bool post_norms = false;       ///< norms after attention and after the MLP as well (Gemma 2, 3)
  bool norm_adds_one = false;    ///< stored norm weights are w - 1 (Gemma in HF files, not in GGUF)
  float embedding_scale = 1.0f;  ///< sqrt(hidden_size) for Gemma
};

/// Whether the decoder covers a config.json's model_type or a GGUF architecture.
bool is_llama_family(std::string_view model_type);

/// json: the text of config.json.   errors  bad_format, invalid_argument naming the field
LlamaConfig llama_config_from_json(std::string_view json, const std::string& file);
/// errors  bad_format naming the key
LlamaConfig llama_config_from_gguf(const GgufFile& file);

}  // namespace tessera::models

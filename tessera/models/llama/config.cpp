#include "tessera/models/llama/config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tessera/core/internal/fail.h"

namespace tessera::models {

namespace {

using nlohmann::json;

constexpr std::string_view kFamily[] = {"llama",  "mistral", "qwen2",      "qwen3",
                                        "gemma2", "gemma3",  "gemma3_text"};

bool is_gemma(const std::string& type) {
  return type.starts_with("gemma");
}

// What a model type implies beyond its config's numbers.
void apply_family(LlamaConfig& c) {
  c.qk_norm = c.model_type == "qwen3" || c.model_type.starts_with("gemma3");
  if (is_gemma(c.model_type)) {
    c.gelu = true;
    c.post_norms = true;
    c.embedding_scale = std::sqrt(static_cast<float>(std::max<std::int64_t>(0, c.hidden_size)));
  }
}

// Sizes that would overflow, divide by zero or never end must not get past here.
void check(const LlamaConfig& c, const std::string& file) {
  const auto positive = [&](const char* field, std::int64_t value, std::int64_t most) {
    if (value <= 0 || value > most) {
      fail(ErrorCode::bad_format, file, "{} is {}, must be in [1, {}]", field, value, most);
    }
  };
  positive("vocab_size", c.vocab_size, 1 << 24);
  positive("hidden_size", c.hidden_size, 1 << 20);
  positive("intermediate_size", c.intermediate_size, 1 << 22);
  positive("num_hidden_layers", c.num_hidden_layers, 4096);
  positive("num_attention_heads", c.num_attention_heads, 1 << 14);
  positive("num_key_value_heads", c.num_key_value_heads, c.num_attention_heads);
  positive("head_dim", c.head_dim, 1 << 16);
  if (c.num_attention_heads % c.num_key_value_heads != 0) {
    fail(ErrorCode::bad_format, file,
         "num_attention_heads {} is no multiple of num_key_value_heads {}", c.num_attention_heads,
         c.num_key_value_heads);
  }
  nn::inverse_frequencies(c.rope);  // throws for what it cannot do
  nn::inverse_frequencies(c.local_rope);
}

void finish(LlamaConfig& c, const std::string& file) {
  if (c.attention_scale == 0) {
    c.attention_scale = 1.0f / std::sqrt(static_cast<float>(std::max<std::int64_t>(1, c.head_dim)));
  }
  c.rope.dims = c.local_rope.dims = static_cast<int>(c.head_dim);
  if (c.is_sliding.empty()) {
    c.is_sliding.assign(std::clamp<std::int64_t>(c.num_hidden_layers, 0, 4096),
                        c.sliding_window > 0);
  }
  check(c, file);
}

// Every n-th layer is global, the others slide.
std::vector<bool> sliding_pattern(std::int64_t layers, std::int64_t every) {
  std::vector<bool> out;
  for (std::int64_t i = 0; i < std::clamp<std::int64_t>(layers, 0, 4096); ++i) {
    out.push_back((i + 1) % std::max<std::int64_t>(1, every) != 0);
  }
  return out;
}

// A field that may be absent or null.
template <class T>
T value_or(const json& j, const char* key, T fallback) {
  const auto it = j.find(key);
  return it == j.end() || it->is_null() ? fallback : it->get<T>();
}

// Both spellings of the block: rope_scaling {type | rope_type} beside rope_theta, and the newer
// rope_parameters that holds everything.
void read_rope(const json& block, nn::RopeConfig& rope) {
  rope.base = value_or(block, "rope_theta", rope.base);
  rope.type = value_or(block, "rope_type", value_or(block, "type", std::string("default")));
  rope.factor = value_or(block, "factor", 1.0f);
  rope.low_freq_factor = value_or(block, "low_freq_factor", rope.low_freq_factor);
  rope.high_freq_factor = value_or(block, "high_freq_factor", rope.high_freq_factor);
  rope.original_max_position_embeddings =
      value_or(block, "original_max_position_embeddings", rope.original_max_position_embeddings);
}

}  // namespace

bool is_llama_family(std::string_view model_type) {
  return std::find(std::begin(kFamily), std::end(kFamily), model_type) != std::end(kFamily);
}

LlamaConfig llama_config_from_json(std::string_view text, const std::string& file) try {
  json j = json::parse(text);
  // Multimodal checkpoints keep the decoder's fields one level down.
  if (j.contains("text_config")) {
    json inner = j.at("text_config");
    inner["model_type"] = j.at("model_type");
    j = std::move(inner);
  }
  LlamaConfig c;
  c.model_type = j.at("model_type").get<std::string>();
  if (c.model_type == "gemma3") c.model_type = "gemma3_text";
  c.vocab_size = j.at("vocab_size");
  c.hidden_size = j.at("hidden_size");
  c.intermediate_size = j.at("intermediate_size");
  c.num_hidden_layers = j.at("num_hidden_layers");
  c.num_attention_heads = j.at("num_attention_heads");
  c.num_key_value_heads = value_or(j, "num_key_value_heads", c.num_attention_heads);
  const std::int64_t even_share =
      c.num_attention_heads > 0 ? c.hidden_size / c.num_attention_heads : 0;
  c.head_dim = value_or(j, "head_dim", even_share);
  c.max_position_embeddings = value_or(j, "max_position_embeddings", c.max_position_embeddings);
  c.rms_norm_eps = value_or(j, "rms_norm_eps", c.rms_norm_eps);
  c.tie_word_embeddings = value_or(j, "tie_word_embeddings", is_gemma(c.model_type));
  apply_family(c);
  c.norm_adds_one = is_gemma(c.model_type);

  const std::string act =
      value_or(j, "hidden_activation", value_or(j, "hidden_act", std::string("silu")));
  if (c.gelu ? act != "gelu_pytorch_tanh" && act != "gelu_tanh" : act != "silu") {
    fail(ErrorCode::bad_format, file, "activation \"{}\" is not what {} uses", act, c.model_type);
  }
  if (const float q = value_or(j, "query_pre_attn_scalar", 0.0f); q > 0) {
    c.attention_scale = 1.0f / std::sqrt(q);
  }
  c.attn_logit_softcapping = value_or(j, "attn_logit_softcapping", 0.0f);
  c.final_logit_softcapping = value_or(j, "final_logit_softcapping", 0.0f);

  c.rope.base = value_or(j, "rope_theta", 10000.0f);
  if (j.contains("rope_scaling") && j["rope_scaling"].is_object())
    read_rope(j["rope_scaling"], c.rope);
  c.local_rope = c.rope;
  if (c.model_type == "gemma3_text") {
    c.local_rope = nn::RopeConfig{};
    c.local_rope.base = value_or(j, "rope_local_base_freq", 10000.0f);
  }
  if (const auto it = j.find("rope_parameters"); it != j.end() && it->is_object()) {
    if (it->contains("full_attention")) {
      read_rope(it->at("full_attention"), c.rope);
      c.local_rope = nn::RopeConfig{};
      read_rope(it->value("sliding_attention", it->at("full_attention")), c.local_rope);
    } else {
      read_rope(*it, c.rope);
      c.local_rope = c.rope;
    }
  }

  // Qwen configs carry a window that use_sliding_window turns off.
  const bool slides = value_or(j, "use_sliding_window", !c.model_type.starts_with("qwen"));
  if (slides) c.sliding_window = value_or(j, "sliding_window", 0);
  if (const auto it = j.find("layer_types"); it != j.end() && it->is_array()) {
    for (const json& kind : *it) c.is_sliding.push_back(kind == "sliding_attention");
    if (static_cast<std::int64_t>(c.is_sliding.size()) != c.num_hidden_layers) {
      fail(ErrorCode::bad_format, file, "layer_types has {} entries for {} layers",
           c.is_sliding.size(), c.num_hidden_layers);
    }
  } else if (c.model_type == "gemma3_text") {
    c.is_sliding = sliding_pattern(c.num_hidden_layers, value_or(j, "sliding_window_pattern", 6));
  } else if (c.model_type == "gemma2") {
    c.is_sliding = sliding_pattern(c.num_hidden_layers, 2);
  } else if (c.model_type.starts_with("qwen") && slides) {
    const std::int64_t first = value_or(j, "max_window_layers", c.num_hidden_layers);
    for (std::int64_t i = 0; i < c.num_hidden_layers; ++i) c.is_sliding.push_back(i >= first);
  }
  finish(c, file);
  return c;
} catch (const nlohmann::json::exception& e) {
  fail(ErrorCode::bad_format, file, "not a usable config: {}", e.what());
}

LlamaConfig llama_config_from_gguf(const GgufFile& file) {
  const std::string name = file.path.filename().string();
  const std::string arch = file.get_string("general.architecture").value_or("");
  if (!is_llama_family(arch)) {
    fail(ErrorCode::bad_format, name, "architecture \"{}\" is not one this build knows", arch);
  }
  const auto uint = [&](const char* key) { return file.get_uint(arch + key); };
  const auto required = [&](const char* key) {
    const auto value = uint(key);
    if (!value) fail(ErrorCode::bad_format, name, "metadata {}{} is missing", arch, key);
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*value, INT64_MAX));
  };
  LlamaConfig c;
  c.model_type = arch == "gemma3" ? "gemma3_text" : arch;
  c.hidden_size = required(".embedding_length");
  c.intermediate_size = required(".feed_forward_length");
  c.num_hidden_layers = required(".block_count");
  c.num_attention_heads = required(".attention.head_count");
  c.num_key_value_heads = uint(".attention.head_count_kv").value_or(c.num_attention_heads);
  const std::int64_t even_share =
      c.num_attention_heads > 0 ? c.hidden_size / c.num_attention_heads : 0;
  c.head_dim = uint(".attention.key_length").value_or(even_share);
  c.max_position_embeddings = uint(".context_length").value_or(2048);
  c.rms_norm_eps =
      static_cast<float>(file.get_float(arch + ".attention.layer_norm_rms_epsilon").value_or(1e-5));
  const GgufTensor& table = file.tensor("token_embd.weight");
  if (table.shape.size() != 2) fail(ErrorCode::bad_format, name, "token_embd.weight is no matrix");
  c.vocab_size = table.shape[0];
  c.tie_word_embeddings = file.find("output.weight") == nullptr;
  apply_family(c);

  // Converters to GGUF reorder the query and key rows of `llama` files for pairs (2i, 2i + 1).
  c.rope.traditional = arch == "llama";
  c.rope.base = static_cast<float>(file.get_float(arch + ".rope.freq_base").value_or(10000.0));
  const std::string scaling = file.get_string(arch + ".rope.scaling.type").value_or("none");
  if (scaling == "linear") {
    c.rope.type = "linear";
    c.rope.factor = static_cast<float>(file.get_float(arch + ".rope.scaling.factor").value_or(1.0));
  } else if (scaling != "none") {
    fail(ErrorCode::bad_format, name, "rope scaling \"{}\" is unknown", scaling);
  }
  c.local_rope = c.rope;
  if (arch == "gemma3") {
    c.local_rope = nn::RopeConfig{};
    c.local_rope.base =
        static_cast<float>(file.get_float(arch + ".rope.freq_base_swa").value_or(10000.0));
  }
  c.sliding_window = static_cast<int>(
      std::min<std::uint64_t>(uint(".attention.sliding_window").value_or(0), 1 << 30));
  if (arch == "gemma3") c.is_sliding = sliding_pattern(c.num_hidden_layers, 6);
  if (arch == "gemma2") c.is_sliding = sliding_pattern(c.num_hidden_layers, 2);
  c.attn_logit_softcapping =
      static_cast<float>(file.get_float(arch + ".attn_logit_softcapping").value_or(0.0));
  c.final_logit_softcapping =
      static_cast<float>(file.get_float(arch + ".final_logit_softcapping").value_or(0.0));
  // The 27B Gemmas scale by width per head, which no metadata key tells.
  const bool gemma27b = (arch == "gemma2" && c.num_hidden_layers == 46) ||
                        (arch == "gemma3" && c.num_hidden_layers == 62);
  if (gemma27b) c.attention_scale = 1.0f / std::sqrt(static_cast<float>(even_share));
  finish(c, name);
  return c;
}

}  // namespace tessera::models

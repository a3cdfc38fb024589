// The Llama-family decoder: embeddings, layers of attention and gated MLP, output layer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tessera/models/llama/config.h"
#include "tessera/models/registry.h"

namespace tessera::models {

/// errors  not_found, shape_mismatch naming the tensor
/// source  arXiv:2302.13971 (Llama), arXiv:2310.06825 (Mistral), arXiv:2407.10671 (Qwen2),
///         arXiv:2505.09388 (Qwen3), arXiv:2408.00118 (Gemma 2), arXiv:2503.19786 (Gemma 3)
std::unique_ptr<LanguageModel> make_llama(const LlamaConfig& config, const WeightSource& weights,
                                          const ModelOptions& options = {});

/// The family's ways in (registry.h).
std::unique_ptr<LanguageModel> llama_from_json(std::string_view config_json,
                                               const std::string& file, const WeightSource& weights,
                                               const ModelOptions& options);
std::unique_ptr<LanguageModel> llama_from_gguf(std::shared_ptr<const GgufFile> file,
                                               const BackendPtr& backend,
                                               const ModelOptions& options);

/// A GGUF tensor name for a Hugging Face one; empty when GGUF has no such tensor.
std::string llama_gguf_name(std::string_view model_type, std::string_view name);

}  // namespace tessera::models

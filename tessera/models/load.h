// Loading language models from files.
//
//   LoadedModel m = load("SmolLM2-135M-Instruct.Q4_1.gguf");
//   std::vector<std::int32_t> ids = m.tokenizer->encode("Hello");
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tessera/core/error.h"
#include "tessera/core/progress.h"
#include "tessera/ops/quantized.h"
#include "tessera/text/chat_template.h"
#include "tessera/text/language_model.h"
#include "tessera/text/tokenizer.h"

namespace tessera {

struct LoadOptions {
  /// "auto", "cpu", ... or an instance, which wins.
  std::string backend_name = "auto";
  BackendPtr backend = nullptr;
  /// Of activations and KV cache; nothing takes the backend's default (float32 on cpu).
  std::optional<Dtype> dtype = std::nullopt;
  QuantCompute compute = QuantCompute::precise;
  /// Reads the weights into memory now instead of at first use.
  bool warm = false;
  ProgressCallback progress = {};
};

struct LoadedModel {
  std::filesystem::path path;
  BackendPtr backend;
  Dtype dtype = float32;
  std::unique_ptr<LanguageModel> model;
  /// nullptr when the folder has none.
  std::unique_ptr<Tokenizer> tokenizer;
  std::optional<ChatTemplate> chat_template;
  /// Bytes of the weight files.
  std::uint64_t file_bytes = 0;
};

/// name_or_path: a .gguf file, a folder with config.json and safetensors, or a name in the cache
/// folder (io/hub.h): "SmolLM2-135M-Instruct.Q4_1.gguf", "org/repository".
/// errors  not_found, io, bad_format naming file and fault
LoadedModel load(const std::string& name_or_path, const LoadOptions& options = {});

}  // namespace tessera

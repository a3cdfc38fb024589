// Language models by architecture: the one place that knows which code reads which file.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "tessera/core/dtype.h"
#include "tessera/core/quant_type.h"
#include "tessera/io/gguf.h"
#include "tessera/models/weights.h"
#include "tessera/text/language_model.h"

namespace tessera::models {

struct ModelOptions {
  Dtype dtype = float32;  ///< of activations and of the KV cache
  QuantCompute compute = QuantCompute::precise;
};

/// An architecture family. Adding one: a folder with a config, a decoder and a ModelFamily, and its
/// line in registry.cpp.
struct ModelFamily {
  /// Whether it covers a config.json's model_type or a GGUF's general.architecture.
  bool (*covers)(std::string_view model_type);
  std::unique_ptr<LanguageModel> (*from_json)(std::string_view config_json, const std::string& file,
                                              const WeightSource& weights, const ModelOptions&);
  std::unique_ptr<LanguageModel> (*from_gguf)(std::shared_ptr<const GgufFile> file,
                                              const BackendPtr& backend, const ModelOptions&);
};

std::span<const ModelFamily> families();

/// A model from a .gguf file or a folder with config.json and safetensors.
/// errors  not_found, io, bad_format naming file, field or tensor
std::unique_ptr<LanguageModel> load_language_model(const std::filesystem::path& path,
                                                   const BackendPtr& backend,
                                                   const ModelOptions& options = {});
/// The same from a GGUF that is open already.
std::unique_ptr<LanguageModel> load_language_model(std::shared_ptr<const GgufFile> file,
                                                   const BackendPtr& backend,
                                                   const ModelOptions& options = {});

}  // namespace tessera::models

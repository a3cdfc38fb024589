// WeightSource: a checkpoint's tensors under one set of names, whatever the file format.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/io/gguf.h"
#include "tessera/io/safetensors.h"
#include "tessera/models/mlx_quantization.h"
#include "tessera/nn/module.h"

namespace tessera::models {

/// Weights by Hugging Face name ("model.layers.0.self_attn.q_proj.weight"). The bytes stay where
/// they are (memory-mapped) until a kernel reads them.
class WeightSource {
 public:
  virtual ~WeightSource() = default;

  virtual std::optional<nn::Weight> find(std::string_view name) const = 0;
  /// errors  not_found "missing tensor NAME" naming the file
  nn::Weight get(std::string_view name) const;
  /// The same, and its shape must be `shape`.   errors  shape_mismatch naming both
  nn::Weight get(std::string_view name, const Shape& shape) const;

  /// For messages.
  virtual std::string file() const = 0;
};

/// rename: from a Hugging Face name to the file's own; an empty result means there is none.
using Rename = std::function<std::string(std::string_view)>;

/// quantization: of the folder's config.json; quantised matrices stay as they are.
std::unique_ptr<WeightSource> weights_of(std::shared_ptr<const SafetensorsFile> file,
                                         std::string path, BackendPtr backend,
                                         MlxQuantization quantization = {});
std::unique_ptr<WeightSource> weights_of(std::shared_ptr<const GgufFile> file, Rename rename,
                                         BackendPtr backend);

}  // namespace tessera::models

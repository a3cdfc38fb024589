// What a model file holds, whatever its format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tessera/core/shape.h"

namespace tessera::cli {

struct InspectedTensor {
  std::string name;
  std::string type;  ///< "q4_K", "bfloat16", or the file's own word for one that is not read
  Shape shape;
  std::uint64_t bytes = 0;
};

struct InspectedFile {
  std::filesystem::path path;
  std::string format;  ///< "GGUF version 3", "safetensors"
  std::vector<InspectedTensor> tensors = {};
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
};

/// A .gguf or .safetensors file, an index of shards, or a model folder, whose config.json joins the
/// metadata.   errors  as load_gguf and load_safetensors; bad_format for another kind of file
InspectedFile inspect_file(const std::filesystem::path& path);

}  // namespace tessera::cli

// Which weights of a folder in MLX's spelling are quantised, and how.
//
// NAME.weight (uint32 codes) stands beside NAME.scales and, if affine, NAME.biases; config.json
// says
//   "quantization": {"group_size": 64, "bits": 4, "mode": "affine",
//                    "model.layers.0.mlp.down_proj": {"group_size": 32, "bits": 8}}
// where a layer's own entry may leave out what is the mode's default.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/core/quant_groups.h"

namespace tessera::models {

class MlxQuantization {
 public:
  /// A checkpoint that is not quantised.
  MlxQuantization() = default;
  /// json: the text of config.json.   errors  bad_format, invalid_argument naming file and field
  static MlxQuantization from_json(std::string_view json, const std::string& file);

  /// layer: "model.layers.0.mlp.down_proj". None when the config has no quantization.
  std::optional<QuantGroups> groups_of(std::string_view layer) const;

 private:
  std::optional<QuantGroups> all_;
  std::map<std::string, QuantGroups, std::less<>> by_layer_;
};

}  // namespace tessera::models

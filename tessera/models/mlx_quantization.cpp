#include "tessera/models/mlx_quantization.h"

#include <nlohmann/json.hpp>

#include "tessera/core/internal/fail.h"

namespace tessera::models {

namespace {

using nlohmann::json;

std::optional<int> optional_int(const json& entry, const char* key) {
  return entry.contains(key) ? std::optional(entry.at(key).get<int>()) : std::nullopt;
}

QuantGroups groups_from(const json& entry, const std::string& file) {
  return quant_groups(file.c_str(), entry.value("mode", "affine"),
                      optional_int(entry, "group_size"), optional_int(entry, "bits"));
}

}  // namespace

MlxQuantization MlxQuantization::from_json(std::string_view text, const std::string& file) try {
  const json config = json::parse(text);
  const auto entry = config.find("quantization");
  MlxQuantization out;
  if (entry == config.end() || entry->is_null()) return out;
  out.all_ = groups_from(*entry, file);
  for (const auto& [layer, own] : entry->items()) {
    // A layer that is left dense says false; that shows in its tensors too.
    if (own.is_object()) out.by_layer_.emplace(layer, groups_from(own, file));
  }
  return out;
} catch (const json::exception& e) {
  fail(ErrorCode::bad_format, file, "its \"quantization\" is not usable: {}", e.what());
}

std::optional<QuantGroups> MlxQuantization::groups_of(std::string_view layer) const {
  const auto own = by_layer_.find(layer);
  return own != by_layer_.end() ? std::optional(own->second) : all_;
}

}  // namespace tessera::models

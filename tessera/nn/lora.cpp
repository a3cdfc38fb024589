#include "tessera/nn/lora.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "tessera/core/internal/fail.h"
#include "tessera/io/safetensors.h"
#include "tessera/nn/linear.h"

namespace tessera::nn {

namespace {

constexpr const char* kWeightsFile = "adapters.safetensors";
constexpr const char* kConfigFile = "adapter_config.json";

using NamedLinears = std::vector<std::pair<std::string, Linear*>>;

NamedLinears linears(Module& model) {
  NamedLinears out;
  for (const auto& [path, m] : model.named_modules()) {
    if (auto* linear = dynamic_cast<Linear*>(m)) out.emplace_back(path, linear);
  }
  return out;
}

// The I of "model.layers.I.self_attn...", or -1.
int layer_index(std::string_view path) {
  constexpr std::string_view kLayers = "layers.";
  for (std::size_t at = path.find(kLayers); at != path.npos; at = path.find(kLayers, at + 1)) {
    if (at > 0 && path[at - 1] != '.') continue;
    const std::string_view rest = path.substr(at + kLayers.size());
    int index = 0;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (failed == std::errc() && (end == rest.data() + rest.size() || *end == '.')) return index;
  }
  return -1;
}

// The Linears in the last num_layers layers.
NamedLinears candidates(Module& model, int num_layers) {
  NamedLinears out = linears(model);
  std::set<int> layers;
  for (const auto& [path, linear] : out) layers.insert(layer_index(path));
  layers.erase(-1);
  if (num_layers == -1) num_layers = static_cast<int>(layers.size());
  if (num_layers < 1 || num_layers > static_cast<int>(layers.size())) {
    fail(ErrorCode::invalid_argument, "linear_to_lora_layers",
         "the model has {} layers with linears in them, {} were asked for", layers.size(),
         num_layers);
  }
  const int first = *std::prev(layers.end(), num_layers);
  std::erase_if(out, [&](const auto& l) { return layer_index(l.first) < first; });
  return out;
}

// "a.q_proj" ends in "q_proj", "a.my_q_proj" does not.
bool ends_in(std::string_view path, std::string_view key) {
  return path.ends_with(key) &&
         (path.size() == key.size() || path[path.size() - key.size() - 1] == '.');
}

void keep_keys(NamedLinears& found, const std::vector<std::string>& keys) {
  if (keys.empty()) return;
  for (const std::string& key : keys) {
    if (std::none_of(found.begin(), found.end(),
                     [&](const auto& l) { return ends_in(l.first, key); })) {
      fail(ErrorCode::invalid_argument, "linear_to_lora_layers", "no linear is called \"{}\"", key);
    }
  }
  std::erase_if(found, [&](const auto& l) {
    return std::none_of(keys.begin(), keys.end(),
                        [&](const std::string& key) { return ends_in(l.first, key); });
  });
}

Parameters adapter_parameters(const Module& model) {
  Parameters out;
  for (const auto& [path, linear] : linears(const_cast<Module&>(model))) {
    if (!linear->adapter()) continue;
    const LowRankAdapter& adapter = *linear->adapter();
    const std::string prefix = path.empty() ? "" : path + ".";
    out.emplace(prefix + "lora_a", adapter.lora_a);
    out.emplace(prefix + "lora_b", adapter.lora_b);
    if (adapter.m) out.emplace(prefix + "m", *adapter.m);
  }
  return out;
}

nlohmann::json to_json(const AdapterConfig& config) {
  const LoraOptions& lora = config.lora;
  nlohmann::json parameters{{"rank", lora.rank}, {"scale", lora.scale}, {"dropout", lora.dropout}};
  if (!lora.keys.empty()) parameters["keys"] = lora.keys;
  return {{"fine_tune_type", lora.use_dora ? "dora" : "lora"},
          {"num_layers", config.num_layers},
          {"lora_parameters", parameters}};
}

AdapterConfig read_config(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) fail(ErrorCode::not_found, file.string(), "cannot be opened");
  try {
    const nlohmann::json j = nlohmann::json::parse(in);
    const std::string type = j.value("fine_tune_type", "lora");
    if (type != "lora" && type != "dora") {
      fail(ErrorCode::bad_format, file.string(), "fine_tune_type \"{}\" is not lora or dora", type);
    }
    const nlohmann::json& p = j.at("lora_parameters");
    AdapterConfig config;
    config.num_layers = j.at("num_layers");
    config.lora.rank = p.at("rank");
    config.lora.scale = p.at("scale");
    config.lora.dropout = p.value("dropout", 0.0f);
    config.lora.use_dora = type == "dora";
    if (p.contains("keys")) config.lora.keys = p["keys"].get<std::vector<std::string>>();
    return config;
  } catch (const nlohmann::json::exception& e) {
    fail(ErrorCode::bad_format, file.string(), "is no adapter's config: {}", e.what());
  }
}

}  // namespace

void linear_to_lora_layers(Module& model, int num_layers, const LoraOptions& options) {
  NamedLinears chosen = candidates(model, num_layers);
  keep_keys(chosen, options.keys);
  for (const auto& [path, linear] : chosen) {
    if (linear->adapter()) {
      fail(ErrorCode::invalid_argument, "linear_to_lora_layers", "\"{}\" has an adapter", path);
    }
  }
  for (const auto& [path, linear] : chosen) {
    linear->set_adapter(
        LowRankAdapter(*linear, options.rank, options.scale, options.dropout, options.use_dora));
  }
}

void save_adapters(const std::filesystem::path& folder, const Module& model,
                   const AdapterConfig& config) {
  const Parameters adapters = adapter_parameters(model);
  if (adapters.empty()) {
    fail(ErrorCode::not_found, "save_adapters", "the model has no adapters");
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  tessera::eval(adapters);
  std::map<std::string, HostTensor, std::less<>> tensors;
  for (const auto& [name, value] : adapters) tensors.emplace(name, value.to_host());
  save_safetensors(folder / kWeightsFile, tensors, {{"format", "mlx"}});
  std::ofstream out(folder / kConfigFile);
  out << to_json(config).dump(4) << '\n';
  out.close();
  if (!out) fail(ErrorCode::io, (folder / kConfigFile).string(), "cannot be written");
}

AdapterConfig load_adapters(Module& model, const std::filesystem::path& folder) {
  AdapterConfig config = read_config(folder / kConfigFile);
  const SafetensorsFile file = load_safetensors(folder / kWeightsFile);
  linear_to_lora_layers(model, config.num_layers, config.lora);
  try {
    Parameters adapters;
    for (const auto& [name, value] : adapter_parameters(model)) {
      adapters.emplace(name, array(file.tensor(name), value.backend()));
    }
    if (adapters.size() != file.tensors.size()) {
      fail(ErrorCode::bad_format, file.path.string(), "holds {} tensors, the model's adapters {}",
           file.tensors.size(), adapters.size());
    }
    model.load_weights(adapters, false);
  } catch (...) {
    remove_adapters(model);
    throw;
  }
  return config;
}

void fuse_adapters(Module& model, bool dequantize) {
  for (const auto& [path, linear] : linears(model)) {
    if (!linear->adapter()) continue;
    const Weight& weight = linear->weight();
    Dtype dtype = float32;
    if (weight.is_dense()) dtype = weight.data.dtype();
    if (weight.groups && weight.groups->format.has_integer_codes()) {
      dtype = weight.groups->scales.dtype();
    }
    const array fused = linear->adapter()->fused_weight(*linear, dtype);
    linear->set_weight(weight.groups && !dequantize ? quantized(fused, weight.groups->format)
                                                    : Weight(fused));
    linear->set_adapter(std::nullopt);
  }
}

void remove_adapters(Module& model) {
  for (const auto& [path, linear] : linears(model)) linear->set_adapter(std::nullopt);
}

}  // namespace tessera::nn

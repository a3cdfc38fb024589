// Low-rank fine-tuning of whole models: adapters on, trained, saved, loaded, merged.
//
//   model.freeze();
//   nn::linear_to_lora_layers(model, 8, {.rank = 8});      // the last 8 layers
//   ...train model.trainable_parameters()...
//   nn::save_adapters("adapter", model, {.num_layers = 8});
//   nn::fuse_adapters(model);                              // plain weights again
//
// Files and names are those of mlx-lm: adapters.safetensors with "...q_proj.lora_a" and so on, and
// adapter_config.json. Base weights keep their names here (no "linear." within an adapted layer).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tessera/nn/module.h"

namespace tessera::nn {

struct LoraOptions {
  int rank = 8;
  float scale = 20.0f;    ///< of what the adapter adds
  float dropout = 0.0f;   ///< of its input, in training
  bool use_dora = false;  ///< DoRA: with the rows' magnitudes (nn/low_rank.h)
  /// Ends of the paths of the Linears that get one ("self_attn.q_proj"); empty: all in the layers.
  std::vector<std::string> keys = {};
};

/// Puts an adapter, which changes nothing yet, on the Linears of the last num_layers modules called
/// "...layers.I" (-1: of all). What is frozen stays so; the adapters are trained.
/// errors  invalid_argument when num_layers are not there, a key fits none, or a layer has one
///         already
void linear_to_lora_layers(Module& model, int num_layers, const LoraOptions& options = {});

/// What an adapter's folder says of itself.
struct AdapterConfig {
  int num_layers = -1;
  LoraOptions lora = {};
};

/// Writes the adapters' parameters and the config into a folder, made if need be.
/// errors  not_found when the model has no adapters; io
void save_adapters(const std::filesystem::path& folder, const Module& model,
                   const AdapterConfig& config);
/// Puts the adapters of a folder on a model that has none.
/// errors  not_found, io, bad_format, shape_mismatch; those of linear_to_lora_layers
AdapterConfig load_adapters(Module& model, const std::filesystem::path& folder);

/// Works the adapters into the weights and takes them off. Weights in groups are quantised anew in
/// their format unless `dequantize`; blocks of a GGUF file become dense.
void fuse_adapters(Module& model, bool dequantize = false);
/// Takes the adapters off: the model is as before.
void remove_adapters(Module& model);

}  // namespace tessera::nn

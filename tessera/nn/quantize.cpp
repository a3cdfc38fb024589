#include "tessera/nn/quantize.h"

#include "tessera/core/internal/fail.h"
#include "tessera/nn/module.h"

namespace tessera::nn {

namespace {

QuantizeChoice choice(const QuantizeOptions& options, const std::string& path, Module& layer) {
  if (options.predicate) return options.predicate(path, layer);
  const auto* quantizable = dynamic_cast<Quantizable*>(&layer);
  return quantizable != nullptr && !quantizable->is_quantized();
}

}  // namespace

void quantize(Module& model, const QuantizeOptions& options) {
  const QuantGroups common =
      quant_groups("nn::quantize", options.mode, options.group_size, options.bits);
  for (const auto& [path, layer] : model.leaf_modules()) {
    const QuantizeChoice chosen = choice(options, path, *layer);
    if (!chosen.chosen) continue;
    auto* quantizable = dynamic_cast<Quantizable*>(layer);
    if (quantizable == nullptr) {
      fail(ErrorCode::invalid_argument, "nn::quantize", "\"{}\" has no matrix to quantise", path);
    }
    try {
      quantizable->quantize(chosen.format.value_or(common));
    } catch (const Error& e) {
      fail(e.code(), "nn::quantize", "\"{}\": {}", path, e.what());
    }
  }
}

}  // namespace tessera::nn

// Quantising the layers of a model in place.
//
//   nn::quantize(model);                                    // 4 bits, groups of 64
//   nn::quantize(model, {.bits = 8, .predicate = [](const std::string& path, nn::Module&) {
//     return path.find("lm_head") == std::string::npos;     // all but the output layer
//   }});
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tessera/core/quant_groups.h"

namespace tessera::nn {

class Module;

/// A layer whose matrix can be stored quantised.
class Quantizable {
 public:
  virtual ~Quantizable() = default;
  virtual bool is_quantized() const = 0;
  /// Quantises the matrix, which is no longer trained then; a bias still is, as in MLX.
  /// errors  invalid_argument when it is quantised already; those of quantize() (ops/quantize.h)
  virtual void quantize(const QuantGroups& format) = 0;
};

/// Whether a layer is quantised, and in which format if not in the one asked for.
struct QuantizeChoice {
  QuantizeChoice(bool yes) : chosen(yes) {}  // NOLINT: what a predicate returns
  QuantizeChoice(const QuantGroups& as) : chosen(true), format(as) {}  // NOLINT: likewise

  bool chosen;
  std::optional<QuantGroups> format;
};

struct QuantizeOptions {
  /// What is left out takes the mode's default, as in quantize() (ops/quantize.h).
  std::optional<int> group_size = {};
  std::optional<int> bits = {};
  std::string mode = "affine";
  /// Asked for each leaf module; none: every Quantizable that is not quantised yet.
  std::function<QuantizeChoice(const std::string& path, Module& layer)> predicate = {};
};

/// Quantises the leaf modules that the predicate chooses.
/// errors  invalid_argument naming the layer when it is no Quantizable or its rows are not whole
///         groups
void quantize(Module& model, const QuantizeOptions& options = {});

}  // namespace tessera::nn

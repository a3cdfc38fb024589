// Normalisation over the last axis.
#pragma once

#include <optional>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct RmsNorm {
  float eps = 1e-5f;
  static constexpr const char* kName = "rms_norm";
  static constexpr const char* kDoc = "x / sqrt(mean(x^2) + eps) * weight over the last axis.";
  static constexpr const char* kShapes = "x [..., D], weight [D] if any -> [..., D]";
  static constexpr const char* kDtypes = "floating, promoted together; float32 inside";
  static constexpr auto kAttributes =
      std::tuple(attribute<&RmsNorm::eps>("added to the mean square"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

struct LayerNorm {
  float eps = 1e-5f;
  bool has_weight = false;
  bool has_bias = false;
  static constexpr const char* kName = "layer_norm";
  static constexpr const char* kDoc =
      "(x - mean) / sqrt(variance + eps) * weight + bias over the last axis.";
  static constexpr const char* kShapes =
      "x [..., D], weight [D] if any, bias [D] if any -> [..., D]";
  static constexpr const char* kDtypes = "floating, promoted together; float32 inside";
  static constexpr auto kAttributes =
      std::tuple(attribute<&LayerNorm::eps>("added to the variance"),
                 attribute<&LayerNorm::has_weight>("the second input is a weight"),
                 attribute<&LayerNorm::has_bias>("the last input is a bias"));
  TensorSpec infer(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// Normalises each sample over its spatial axes and the channels of one group.
/// x            [N, spatial..., C]
/// weight, bias [C] or none
/// num_groups   divides C. Group g holds the channels c with c % num_groups == g or, if
///              pytorch_compatible, the C / num_groups neighbouring ones from g * C / num_groups
///              on.
/// returns      x's shape, dtypes promoted; float32 inside.   source  arXiv:1803.08494
/// errors       shape_mismatch, unsupported_dtype, invalid_argument
array group_norm(const array& x, int num_groups, const std::optional<array>& weight = std::nullopt,
                 const std::optional<array>& bias = std::nullopt, float eps = 1e-5f,
                 bool pytorch_compatible = false);

namespace fast {

/// Root mean square normalisation.
/// x       [..., D] floating
/// weight  [D], or none
/// returns [..., D], dtype of x (promoted with weight's)
/// source  arXiv:1910.07467
array rms_norm(const array& x, const std::optional<array>& weight, float eps);

/// x [..., D]; weight, bias [D] or none.   source  arXiv:1607.06450
array layer_norm(const array& x, const std::optional<array>& weight,
                 const std::optional<array>& bias, float eps);

}  // namespace fast
}  // namespace tessera

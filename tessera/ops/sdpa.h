// Scaled dot-product attention.
#pragma once

#include <optional>
#include <string>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Sdpa {
  float scale = 1.0f;
  bool causal = false;
  int window = 0;
  float softcap = 0.0f;
  bool has_sinks = false;
  static constexpr const char* kName = "scaled_dot_product_attention";
  static constexpr const char* kDoc =
      "softmax(scale * q k^T + mask) v, Hq a multiple of Hkv (grouped-query attention). A bool "
      "mask keeps where true, a float mask is added. A sink is a score that takes part in the "
      "softmax of its head and has no value: its share is lost. A query that may see nothing gives "
      "zeros.";
  static constexpr const char* kShapes =
      "q [B, Hq, L, D], k [B, Hkv, S, D], v [B, Hkv, S, Dv], mask [B, Hq, L, S] if any, sinks [Hq] "
      "if any -> [B, Hq, L, Dv]";
  static constexpr const char* kDtypes =
      "q, k, v of one floating dtype -> the same; mask bool or float32, sinks float32; scores, "
      "softmax and sums in float32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Sdpa::scale>("of the scores"),
                 attribute<&Sdpa::causal>("query i sees keys up to S - L + i"),
                 attribute<&Sdpa::window>("> 0: and no more than this many keys, itself included"),
                 attribute<&Sdpa::softcap>("> 0: scores become softcap * tanh(score / softcap)"),
                 attribute<&Sdpa::has_sinks>("the last input is the sinks"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> compose(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// q       [B, Hq, L, D]   float16 | bfloat16 | float32
/// k       [B, Hkv, S, D]  dtype of q; Hq a multiple of Hkv (grouped-query attention)
/// v       [B, Hkv, S, Dv]
/// mask    bool keeps where true, floating is added; broadcast to [B, Hq, L, S]
/// sinks   [Hq] any real dtype, used in float32: neither scaled, capped nor masked
/// returns [B, Hq, L, Dv], dtype of q
/// errors  shape_mismatch, unsupported_dtype, invalid_argument
/// source  arXiv:1706.03762, arXiv:2305.13245; sinks as in gpt-oss, after arXiv:2309.17453
array sdpa(const array& q, const array& k, const array& v, Sdpa options,
           const std::optional<array>& mask = std::nullopt,
           const std::optional<array>& sinks = std::nullopt);

namespace fast {

/// MLX's form. mask_mode: "" or "array" (a mask may be given), or "causal".
array scaled_dot_product_attention(const array& queries, const array& keys, const array& values,
                                   float scale, const std::string& mask_mode = "",
                                   const std::optional<array>& mask = std::nullopt,
                                   const std::optional<array>& sinks = std::nullopt);

}  // namespace fast
}  // namespace tessera

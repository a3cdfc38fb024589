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
  bool causal = false;     ///< query i sees keys up to S - L + i
  int window = 0;          ///< > 0: and no more than this many keys, itself included
  float softcap = 0.0f;    ///< > 0: scores become softcap * tanh(score / softcap)
  bool has_sinks = false;  ///< inputs are q, k, v, then the mask if any, then the sinks if any
  static constexpr const char* kName = "scaled_dot_product_attention";
  static constexpr const char* kDoc =
      "softmax(scale * q k^T + mask) v, the softmax in float32. A mask is bool (true keeps) or "
      "floating (added). Sinks are a score per query head that takes part in the softmax and has "
      "no value: its share is lost. A query that may see nothing gives zeros.";
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

// Rotary position embedding.
#pragma once

#include <optional>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct Rope {
  int dims = 0;
  bool traditional = false;
  float base = 10000.0f;
  float scale = 1.0f;
  static constexpr const char* kName = "rope";
  static constexpr const char* kDoc =
      "Pairs of features rotated by (offset + t) * scale / freqs[i], t the index on the "
      "second-last axis; features from dims on stay.";
  static constexpr const char* kShapes =
      "x [B, ..., T, D], offset [] or [B], freqs [dims / 2] if any -> x";
  static constexpr const char* kDtypes =
      "x floating, offset int32, freqs float32 -> dtype of x; angles and products in float32";
  static constexpr auto kAttributes =
      std::tuple(attribute<&Rope::dims>("leading features that turn, even, at most D"),
                 attribute<&Rope::traditional>("pairs are (2i, 2i + 1), else (i, i + dims / 2)"),
                 attribute<&Rope::base>("freqs[i] = base^(2i / dims) when no input gives them"),
                 attribute<&Rope::scale>("of the positions"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> compose(std::span<const array> in) const;
  void vjp(Vjp& v) const;
  std::vector<array> vmap(const Vmap& v) const;
};

namespace fast {

/// x            [B, ..., T, D] floating, rank >= 3
/// dims         how many leading features turn; even, at most D
/// base         unless freqs is given
/// offset       position of the first step: an int, or an integer array, a scalar or [B]
/// freqs        [dims / 2], the divisors of the position, or none
/// returns      like x
/// source       arXiv:2104.09864
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale,
           const array& offset, const std::optional<array>& freqs = std::nullopt);
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale,
           int offset, const std::optional<array>& freqs = std::nullopt);

}  // namespace fast
}  // namespace tessera

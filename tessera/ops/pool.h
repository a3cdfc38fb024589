// Pooling: over the tokens of a sequence, and over windows of space.
#pragma once

#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ir/rules.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct MeanPool {
  static constexpr const char* kName = "mean_pool";
  static constexpr const char* kDoc =
      "Mean over the tokens that a mask keeps; masked tokens do not count even if they are NaN; a "
      "row without tokens gives 0.";
  static constexpr const char* kShapes = "x [B, T, D], mask [B, T] -> [B, D]";
  static constexpr const char* kDtypes =
      "x floating, mask bool -> dtype of x; half types in float32 inside";
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

struct Pool {
  enum class Kind { max, mean };
  Kind kind = Kind::max;
  Shape window, stride, padding;
  static constexpr const char* kName = "pool";
  static constexpr const char* kDoc =
      "Greatest (NaN if any is NaN) or mean of each window. Padding is -inf (the least integer) or "
      "0, and counts in the mean. A window larger than the padded input is an error.";
  static constexpr const char* kShapes =
      "x [N, space..., C] -> [N, windows..., C], (size + 2 * padding - window) / stride + 1 of "
      "them, rounded down";
  static constexpr const char* kDtypes =
      "max: real, mean: floating -> the same; half types in float32 inside";
  static constexpr auto kAttributes = std::tuple(
      attribute<&Pool::kind>("of each window"), attribute<&Pool::window>("one per spatial axis"),
      attribute<&Pool::stride>("from window to window"),
      attribute<&Pool::padding>("elements on both sides"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
  std::vector<array> vmap(const Vmap& v) const;
};

/// Token states to one state per sequence.
/// x        [B, T, D] floating
/// mask     [B, T] bool or integers, not 0 where a token counts
/// returns  [B, D], dtype of x
/// errors   shape_mismatch, unsupported_dtype
array mean_pool(const array& x, const array& mask);

/// x [N, L, C], [N, H, W, C] or [N, D, H, W, C]; kernel_size, stride and padding one per spatial
/// axis or one for all; no stride: kernel_size.
/// returns  (size + 2 * padding - kernel_size) / stride + 1 windows per axis, rounded down; dtype
/// of
///          x, means of integers and bool in float32
/// errors   shape_mismatch, invalid_argument
#define TESSERA_POOLING(name)                                               \
  array name(const array& x, int kernel_size);                              \
  array name(const array& x, int kernel_size, int stride, int padding = 0); \
  array name(const array& x, const Shape& kernel_size);                     \
  array name(const array& x, const Shape& kernel_size, const Shape& stride, const Shape& padding);
TESSERA_POOLING(max_pool1d)
TESSERA_POOLING(max_pool2d)
TESSERA_POOLING(max_pool3d)
TESSERA_POOLING(avg_pool1d)
TESSERA_POOLING(avg_pool2d)
TESSERA_POOLING(avg_pool3d)
#undef TESSERA_POOLING

}  // namespace tessera

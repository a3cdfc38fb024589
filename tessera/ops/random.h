// Random numbers as MLX makes them: from a key, by a counter. The same key gives the same bits on
// every backend, and the same numbers as mlx::core::random up to rounding.
//
//   auto [a, b] = random::split(random::key(7));
//   array noise = random::normal({4, 3}, float32, 0.0f, 1.0f, a);
//   random::seed(0);                       // or leave keys out and seed this thread's sequence
//   array drop = random::bernoulli(0.9, {4, 3});
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"
#include "tessera/ir/op.h"
#include "tessera/ops/op_ids.h"

namespace tessera {

struct RandomBits {
  Shape shape;
  int width = 4;
  static constexpr const char* kName = "random_bits";
  static constexpr const char* kDoc =
      "Uniform bits from a key: Threefry-2x32 with 20 rounds (Salmon et al., SC 2011). With n "
      "32-bit words in all and h = n / 2, pair i < h of the counter (i, i + n - h) gives words i "
      "and i + n - h; an odd n has word h from (h, 0). Narrower elements are the words' bytes from "
      "the lowest on.";
  static constexpr const char* kShapes = "key [2] -> shape";
  static constexpr const char* kDtypes = "uint32 -> uint8, uint16 or uint32 by width";
  static constexpr auto kAttributes =
      std::tuple(attribute<&RandomBits::shape>("of the result"),
                 attribute<&RandomBits::width>("bytes of an element: 1, 2 or 4"));
  TensorSpec infer(std::span<const array> in) const;
  std::vector<array> lower(std::span<const array> in) const;
};

namespace detail {
/// Threefry-2x32 with 20 rounds: the counter's image under the key.
constexpr std::array<std::uint32_t, 2> threefry(std::array<std::uint32_t, 2> key,
                                                std::array<std::uint32_t, 2> counter) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const std::uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  std::uint32_t a = counter[0] + keys[0];
  std::uint32_t b = counter[1] + keys[1];
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (int i = 0; i < 4; ++i) {
      const int r = kRotations[round % 2 * 4 + i];
      a += b;
      b = ((b << r) | (b >> (32 - r))) ^ a;
    }
    a += keys[(round + 1) % 3];
    b += keys[(round + 2) % 3] + round + 1;
  }
  return {a, b};
}
}  // namespace detail

namespace random {

/// A key (uint32 [2]) from a seed.
array key(std::uint64_t seed);

/// Keys one after another, each split off the last. Not for use by two threads at once.
class KeySequence {
 public:
  explicit KeySequence(std::uint64_t seed) { this->seed(seed); }
  void seed(std::uint64_t seed);
  /// The next key, on `backend` (nullptr: the current one).
  array next(const BackendPtr& backend = nullptr);
  /// The calling thread's own, which every function below draws from when it gets no key. Seeded
  /// from the clock, differently in each thread, until seed() is called in it.
  static KeySequence& default_();

 private:
  std::array<std::uint32_t, 2> key_{};
};

/// Restarts the calling thread's key sequence.
void seed(std::uint64_t seed);

// In all that follows: shape is the result's; key is uint32 [2]; distribution parameters broadcast
// to shape.   errors  shape_mismatch, unsupported_dtype, invalid_argument naming the argument

/// Uniform bits in elements of width 4, 2 or 1 bytes: uint32, uint16, uint8.
array bits(const Shape& shape, int width, const std::optional<array>& key = std::nullopt);
array bits(const Shape& shape, const std::optional<array>& key = std::nullopt);

/// Two new keys from one, or num of them ([num, 2]).
std::pair<array, array> split(const array& key);
array split(const array& key, int num);

/// In [low, high), from 32 random bits each.   dtype: float32, float16 or bfloat16
array uniform(const array& low, const array& high, const Shape& shape, Dtype dtype = float32,
              const std::optional<array>& key = std::nullopt);
array uniform(double low, double high, const Shape& shape, Dtype dtype = float32,
              const std::optional<array>& key = std::nullopt);
array uniform(const Shape& shape, Dtype dtype, const std::optional<array>& key = std::nullopt);
array uniform(const Shape& shape, const std::optional<array>& key = std::nullopt);

/// loc + scale * standard normal, drawn in float32, by inversion.   dtype: floating or complex64
array normal(const Shape& shape, Dtype dtype, const std::optional<array>& loc,
             const std::optional<array>& scale, const std::optional<array>& key = std::nullopt);
array normal(const Shape& shape, Dtype dtype, float loc, float scale,
             const std::optional<array>& key = std::nullopt);
array normal(const Shape& shape, float loc, float scale,
             const std::optional<array>& key = std::nullopt);
array normal(const Shape& shape, Dtype dtype, const std::optional<array>& key = std::nullopt);
array normal(const Shape& shape, const std::optional<array>& key = std::nullopt);

/// Integers in [low, high), or low where that is empty. Drawn through float32 as in MLX, so a range
/// of more than 2^24 values leaves some out.   dtype: integer or bool
array randint(const array& low, const array& high, const Shape& shape, Dtype dtype = int32,
              const std::optional<array>& key = std::nullopt);
array randint(std::int64_t low, std::int64_t high, const Shape& shape, Dtype dtype = int32,
              const std::optional<array>& key = std::nullopt);

/// bool, true with probability p (floating).
array bernoulli(const array& p, const Shape& shape, const std::optional<array>& key = std::nullopt);
array bernoulli(const array& p, const std::optional<array>& key = std::nullopt);
array bernoulli(double p, const Shape& shape, const std::optional<array>& key = std::nullopt);
array bernoulli(double p, const std::optional<array>& key = std::nullopt);
array bernoulli(const std::optional<array>& key = std::nullopt);

/// Standard normal within [lower, upper].   dtype: float32, float16 or bfloat16
array truncated_normal(const array& lower, const array& upper, const Shape& shape,
                       Dtype dtype = float32, const std::optional<array>& key = std::nullopt);
/// Of the shape lower and upper broadcast to.
array truncated_normal(const array& lower, const array& upper, Dtype dtype = float32,
                       const std::optional<array>& key = std::nullopt);

/// Standard Gumbel, -log(-log(uniform)).   dtype: float32, float16 or bfloat16
array gumbel(const Shape& shape, Dtype dtype = float32,
             const std::optional<array>& key = std::nullopt);

/// Indices (uint32) along an axis of unnormalised log probabilities, by the Gumbel trick.
/// shape: to which logits' shape without the axis must broadcast.
array categorical(const array& logits, int axis, const Shape& shape,
                  const std::optional<array>& key = std::nullopt);
/// num_samples of them, in a last axis of the result.
array categorical(const array& logits, int axis, int num_samples,
                  const std::optional<array>& key = std::nullopt);
array categorical(const array& logits, int axis = -1,
                  const std::optional<array>& key = std::nullopt);

/// loc + scale * standard Laplace, drawn in float32, by inversion.   dtype: floating
array laplace(const Shape& shape, Dtype dtype, float loc, float scale,
              const std::optional<array>& key = std::nullopt);
array laplace(const Shape& shape, float loc, float scale,
              const std::optional<array>& key = std::nullopt);
array laplace(const Shape& shape, Dtype dtype, const std::optional<array>& key = std::nullopt);
array laplace(const Shape& shape, const std::optional<array>& key = std::nullopt);

/// The slices of x along an axis in random order; 0 .. x - 1 (uint32) in random order.
array permutation(const array& x, int axis = 0, const std::optional<array>& key = std::nullopt);
array permutation(int x, const std::optional<array>& key = std::nullopt);

}  // namespace random
}  // namespace tessera

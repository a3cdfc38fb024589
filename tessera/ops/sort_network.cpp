#include "tessera/ops/internal/sort_network.h"

#include <bit>
#include <limits>

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/limits.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera::detail {

namespace {

// Rows of [lines, blocks, 2, half]: the two halves of every block, the second one backwards when
// `mirrored`.
struct Halves {
  array low, high;
};

Halves halves(const array& x, ShapeElem half, bool mirrored) {
  const ShapeElem lines = x.shape(0);
  const ShapeElem blocks = x.shape(1) / (2 * half);
  const array split = reshape(x, {lines, blocks, 2, half});
  const array low = slice(split, {0, 0, 0, 0}, {lines, blocks, 1, half});
  if (!mirrored) return {low, slice(split, {0, 0, 1, 0}, {lines, blocks, 2, half})};
  return {low, slice(split, {0, 0, 1, half - 1}, {lines, blocks, 2, -half - 1}, {1, 1, 1, -1})};
}

array joined(const Halves& h, const Shape& shape, bool mirrored) {
  array high = h.high;
  if (mirrored) {
    const Shape& s = high.shape();
    high = slice(high, {0, 0, 0, s[3] - 1}, {s[0], s[1], s[2], -s[3] - 1}, {1, 1, 1, -1});
  }
  return reshape(concatenate({h.low, high}, 2), shape);
}

// Every element of the low halves against its partner in the high ones; the later of the two goes
// high. Indices decide between equal values, which makes the network stable.
void compare_exchange(array& values, array& indices, ShapeElem half, bool mirrored) {
  const Halves v = halves(values, half, mirrored);
  const Halves i = halves(indices, half, mirrored);
  const array later = logical_or(
      is_before(v.high, v.low), logical_and(logical_not(is_before(v.low, v.high)), i.high < i.low));
  values =
      joined({where(later, v.high, v.low), where(later, v.low, v.high)}, values.shape(), mirrored);
  indices =
      joined({where(later, i.high, i.low), where(later, i.low, i.high)}, indices.shape(), mirrored);
}

// What padding is made of: nothing comes after it, and its indices make it last among equals.
array greatest(const array& like) {
  if (!is_floating(like.dtype())) return highest(like.dtype(), like.backend());
  return scalar(std::numeric_limits<double>::quiet_NaN(), like.dtype(), like.backend());
}

}  // namespace

array is_before(const array& a, const array& b) {
  if (!is_floating(a.dtype())) return a < b;
  return logical_or(a < b, logical_and(a == a, b != b));
}

SortedPair sort_network(const array& a, int axis) {
  const array lines = swapaxes(a, axis, -1);
  const ShapeElem n = lines.shape(-1);
  if (a.size() == 0) return {a, astype(a, uint32)};
  const auto width = static_cast<ShapeElem>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  const ShapeElem rows = a.size() / n;
  const array padding = broadcast_to(greatest(a), {rows, width - n});
  array values = concatenate({reshape(lines, {rows, n}), padding}, 1);
  array indices = broadcast_to(count_up(width), values.shape());
  for (ShapeElem block = 2; block <= width; block *= 2) {
    compare_exchange(values, indices, block / 2, true);
    for (ShapeElem half = block / 4; half > 0; half /= 2) {
      compare_exchange(values, indices, half, false);
    }
  }
  const auto restored = [&](const array& x) {
    return swapaxes(reshape(slice(x, {0, 0}, {rows, n}), lines.shape()), axis, -1);
  };
  return {restored(values), astype(restored(indices), uint32)};
}

}  // namespace tessera::detail

#include "tessera/ops/hadamard.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/float_function.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

// What the transform makes of each unit vector: a bit per column, the first one highest, set for 1
// and clear for -1.
constexpr std::uint32_t kRows12[] = {0xbff, 0x2aa, 0xec3, 0x896, 0xfb0, 0xa25,
                                     0xcec, 0x989, 0xc3b, 0x962, 0xf0e, 0xa58};
constexpr std::uint32_t kRows20[] = {0x83cc9, 0x45c74, 0x26e2a, 0x17705, 0x0f992, 0x842c6, 0x42163,
                                     0x212b1, 0x10b58, 0x085ac, 0xca610, 0xe5108, 0x72884, 0x39442,
                                     0x9c821, 0xb65f0, 0x5f2e8, 0xabb64, 0xd1fa2, 0x6cfc1};
constexpr std::uint32_t kRows28[] = {
    0x80796b3, 0x403eb59, 0x211d5ec, 0x118eab6, 0x09c751b, 0x05e1acd, 0x02f2d66,
    0xc30262d, 0xe081356, 0x70409ab, 0x38224d5, 0x1c1326a, 0x0e09935, 0x8604cda,
    0xa4ce061, 0x5365070, 0xa9b0838, 0x54d841c, 0x2a6c20e, 0x9534107, 0x4b980c3,
    0x9948f40, 0x4ca47a0, 0x2752390, 0x92ab188, 0xc857884, 0x652bc02, 0x3295e01};

// The rows for N's odd part; a power of 2 needs none.
std::span<const std::uint32_t> rows_for(const array& a) {
  const auto n = static_cast<std::uint64_t>(a.shape(-1));
  for (const std::span<const std::uint32_t> rows :
       {std::span<const std::uint32_t>(kRows12), std::span<const std::uint32_t>(kRows20),
        std::span<const std::uint32_t>(kRows28)}) {
    if (n % rows.size() == 0 && std::has_single_bit(n / rows.size())) return rows;
  }
  if (!std::has_single_bit(n)) {
    fail(ErrorCode::invalid_argument, "hadamard_transform",
         "the last axis of {} must be m 2^k with m in 1, 12, 20, 28", detail::describe(a));
  }
  return {};
}

array matrix_of(std::span<const std::uint32_t> rows, const array& like) {
  const std::size_t n = rows.size();
  std::vector<float> values;
  for (std::uint32_t row : rows) {
    for (std::size_t column = n; column > 0; --column) {
      values.push_back((row >> (column - 1) & 1) != 0 ? 1.0f : -1.0f);
    }
  }
  const auto size = static_cast<ShapeElem>(n);
  const HostTensor host = HostTensor::from(std::span<const float>(values), Shape{size, size});
  return astype(array(host, like.backend()), like.dtype());
}

// Sums and differences along the last axis, whose size is a power of 2.
array butterflies(const array& x) {
  const ShapeElem n = x.shape(-1), rows = n == 0 ? 0 : x.size() / n;
  array out = x;
  for (ShapeElem apart = 1; apart < n; apart *= 2) {
    const std::vector<array> pair = split(reshape(out, {rows, n / (2 * apart), 2, apart}), 2, 2);
    out = concatenate({pair[0] + pair[1], pair[0] - pair[1]}, 2);
  }
  return reshape(out, x.shape());
}

}  // namespace

array hadamard_transform(const array& a, std::optional<float> scale) {
  if (a.ndim() == 0) {
    fail(ErrorCode::invalid_argument, "hadamard_transform", "needs an axis, got a scalar");
  }
  const std::span<const std::uint32_t> rows = rows_for(a);
  const auto n = static_cast<double>(a.shape(-1));
  const double factor = scale ? double(*scale) : 1.0 / std::sqrt(n);
  return detail::float_function(a, [&](const array& x) {
    if (rows.empty()) return butterflies(x) * factor;
    const auto m = static_cast<ShapeElem>(rows.size());
    const array parts = butterflies(reshape(x, {x.size() / x.shape(-1), m, x.shape(-1) / m}));
    const array mixed = matmul(swapaxes(parts, 1, 2), matrix_of(rows, x));
    return reshape(swapaxes(mixed, 1, 2), x.shape()) * factor;
  });
}

}  // namespace tessera

// Elementwise ops over rows longer than a kernel's block, in every layout: neighbours, strided,
// repeated. Each must give what a contiguous copy of its inputs gives.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

constexpr int kRow = 1000;

const Dtype kDtypes[] = {bool_,  uint8, int8,    uint16,   int16,   uint32,  int32,
                         uint64, int64, float16, bfloat16, float32, float64, complex64};

struct Operand {
  const char* layout;
  array values;
};

// [3, kRow] in four layouts; small whole numbers, exact in every dtype.
std::vector<Operand> layouts(Dtype dtype, int seed) {
  const array week = astype(add(arange(7), array(seed)), dtype);
  const array pattern = slice(reshape(broadcast_to(week, {kRow, 7}), {7 * kRow}), {0}, {6 * kRow});
  const array rows = slice(reshape(pattern, {6, kRow}), {0, 0}, {3, kRow});
  const array columns = reshape(slice(pattern, {0}, {3 * kRow}), {kRow, 3});
  const array pairs = reshape(pattern, {3, 2 * kRow});
  const array one = slice(pattern, {2}, {3});
  return {{"neighbours", rows},
          {"transposed", transpose(columns)},
          {"every other", slice(pairs, {0, 1}, {3, 2 * kRow}, {1, 2})},
          {"repeated", broadcast_to(one, {3, kRow})},
          {"repeated rows", broadcast_to(slice(rows, {1, 0}, {2, kRow}), {3, kRow})}};
}

std::vector<std::byte> bytes(const array& a) {
  const HostTensor host = a.to_host();
  return {host.data(), host.data() + host.nbytes()};
}

// The same values in memory of their own, row after row.
array packed(const array& a) {
  return array(a.to_host());
}

TEST(Layouts, OfTwoOperandsChangeNoResult) {
  using Binary = array (*)(const array&, const array&);
  const std::pair<const char*, Binary> ops[] = {{"add", add},           {"subtract", subtract},
                                                {"multiply", multiply}, {"maximum", maximum},
                                                {"less", less},         {"equal", equal}};
  for (const Dtype dtype : kDtypes) {
    for (const Operand& a : layouts(dtype, 1)) {
      for (const Operand& b : layouts(dtype, 3)) {
        for (const auto& [name, op] : ops) {
          EXPECT_EQ(bytes(op(a.values, b.values)), bytes(op(packed(a.values), packed(b.values))))
              << name << " of " << a.layout << " and " << b.layout << ", " << to_string(dtype);
        }
      }
    }
  }
}

TEST(Layouts, OfOneOperandChangeNoResult) {
  using Unary = array (*)(const array&);
  const std::pair<const char*, Unary> ops[] = {
      {"negative", negative}, {"square", square}, {"abs", abs}, {"logical_not", logical_not}};
  for (const Dtype dtype : kDtypes) {
    for (const Operand& a : layouts(dtype, 1)) {
      for (const auto& [name, op] : ops) {
        if (dtype == bool_ && op == static_cast<Unary>(negative)) continue;  // refused, as in MLX
        EXPECT_EQ(bytes(op(a.values)), bytes(op(packed(a.values))))
            << name << " of " << a.layout << ", " << to_string(dtype);
      }
    }
  }
}

TEST(Layouts, OfHalvesWidenAsTheirElementsDo) {
  for (const Dtype dtype : {float16, bfloat16}) {
    for (const Operand& a : layouts(dtype, 1)) {
      for (const Operand& b : layouts(dtype, 3)) {
        const array wide = astype(a.values, float32) * astype(b.values, float32);
        EXPECT_EQ(bytes(a.values * b.values), bytes(astype(wide, dtype)))
            << a.layout << " and " << b.layout << ", " << to_string(dtype);
      }
    }
  }
}

TEST(Layouts, OfIntegersKeepTheirSign) {
  for (const Dtype dtype : {int8, int16, int32, int64}) {
    const array low = astype(array({-7, -1, 0, 5}), dtype);
    const array high = astype(array({-2, 3, 0, -5}), dtype);
    const auto read = [](const array& a) {
      const array wide = astype(a, int64);
      return std::vector<std::int64_t>(wide.data<std::int64_t>(), wide.data<std::int64_t>() + 4);
    };
    EXPECT_EQ(read(add(low, high)), (std::vector<std::int64_t>{-9, 2, 0, 0})) << to_string(dtype);
    EXPECT_EQ(read(multiply(low, high)), (std::vector<std::int64_t>{14, -3, 0, -25}));
    EXPECT_EQ(read(maximum(low, high)), (std::vector<std::int64_t>{-2, 3, 0, 5}));
    EXPECT_EQ(read(less(low, high)), (std::vector<std::int64_t>{1, 1, 0, 0}));
    EXPECT_EQ(read(right_shift(low, astype(array({1, 1, 1, 1}), dtype))),
              (std::vector<std::int64_t>{-4, -1, 0, 2}));
  }
}

}  // namespace
}  // namespace tessera

// Weights quantised in groups where MLX is silent, refuses or is undefined: the symmetric mode,
// groups of 16, empty matrices, values that are no numbers, bad indices; and bits that must agree.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tessera/core/error.h"
#include "tessera/core/microfloat.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

array normal(const Shape& shape, int seed, Dtype dtype = float32) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw;
  std::vector<float> v(num_elements(shape));
  for (float& x : v) x = draw(random);
  return astype(array(std::span<const float>(v), shape), dtype);
}

array expanded(const std::vector<array>& q, int group_size, int bits, const std::string& mode,
               std::optional<Dtype> dtype = std::nullopt) {
  return dequantize(q[0], q[1], q.size() > 2 ? std::optional(q[2]) : std::nullopt, group_size, bits,
                    mode, std::nullopt, dtype);
}

TEST(SymmetricQuantization, KeepsZeroAndTheLargestMagnitude) {
  std::vector<float> group(32, 0.0f);
  group[3] = 1.0f;
  group[5] = -8.0f;
  group[6] = 8.0f;  // clamped: the other end has one step less
  group[7] = 0.5f;  // a tie between 0 and 1
  const array w(std::span<const float>(group), {1, 32});
  const std::vector<array> q = quantize(w, 32, 4, "symmetric");
  ASSERT_EQ(q.size(), 2u);
  EXPECT_EQ(values<float>(q[1]), std::vector<float>{1.0f});
  std::vector<float> want = group;
  want[6] = 7.0f;
  want[7] = 0.0f;
  EXPECT_EQ(values<float>(expanded(q, 32, 4, "symmetric")), want);
  // Codes are 8 for 0, so a word of zeros is eight of them.
  EXPECT_EQ(values<std::uint32_t>(q[0])[1], 0x88888888u);
}

TEST(SymmetricQuantization, StaysWithinHalfAStepForEveryWidthAndDtype) {
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    const array w = normal({5, 128}, 1, dtype);
    for (const int bits : {2, 3, 4, 5, 6, 8}) {
      for (const int group_size : {16, 32, 64, 128}) {
        const std::vector<array> q = quantize(w, group_size, bits, "symmetric");
        EXPECT_EQ(q[1].dtype(), dtype);
        const array again = expanded(q, group_size, bits, "symmetric", float32);
        const array error = reshape(abs(again - astype(w, float32)), {5, -1, group_size});
        // A whole step where the value next to the end is clamped, and the rounding of two steps.
        const array steps = abs(astype(expand_dims(q[1], -1), float32));
        const float ulp = dtype == float32 ? 0 : dtype == float16 ? 0x1p-10f : 0x1p-7f;
        const float bound = 1.0001f + ulp * std::ldexp(1.0f, bits);
        EXPECT_LE(max(error - steps * bound).item<float>(), 0) << bits << " of " << group_size;
      }
    }
  }
}

TEST(Quantization, OfGroupsOf16FollowsTheSameRule) {
  // Groups of 32 whose halves are equal have the ranges of their halves.
  const array half = normal({6, 2, 1, 16}, 2);
  const array w = reshape(broadcast_to(half, {6, 2, 2, 16}), {6, 64});
  for (const int bits : {2, 4, 6, 8}) {
    const std::vector<array> by_32 = quantize(w, 32, bits);
    const std::vector<array> by_16 = quantize(w, 16, bits);
    EXPECT_EQ(values<std::uint32_t>(by_16[0]), values<std::uint32_t>(by_32[0])) << bits;
    EXPECT_EQ(by_16[1].shape(), (Shape{6, 4}));
    EXPECT_EQ(values<float>(expanded(by_16, 16, bits, "affine")),
              values<float>(expanded(by_32, 32, bits, "affine")));
  }
  EXPECT_REFUSED(quantize(normal({2, 48}, 1), 16, 3), "words of 32 bits");
}

TEST(Quantization, OfGroupsThatAreNoNumbersIsDefined) {
  std::vector<float> v(64, 1.0f);
  v[3] = NAN;
  v[40] = INFINITY;
  const array w(std::span<const float>(v), {1, 64});
  for (const std::string mode : {"mxfp4", "mxfp8"}) {
    const std::vector<array> q = quantize(w, std::nullopt, std::nullopt, mode);
    EXPECT_EQ(values<std::uint8_t>(q[1]), (std::vector<std::uint8_t>{255, 255})) << mode;
    EXPECT_TRUE(std::isnan(values<float>(dequantize(
        q[0], q[1], std::nullopt, std::nullopt, std::nullopt, mode, std::nullopt, float32))[9]));
  }
  const std::vector<array> q = quantize(w, 32, 4);
  EXPECT_EQ(values<std::uint32_t>(q[0])[0] & 0xf000u, 0u);  // NaN has code 0
}

TEST(Quantization, OfTinyGroupsStopsAtTheSmallestExponent) {
  const array w = full({1, 32}, array(1e-44f));
  const std::vector<array> q = quantize(w, 32, 4, "mxfp4");
  EXPECT_EQ(values<std::uint8_t>(q[1])[0], 0);
}

TEST(Quantization, OfEmptyMatricesIsEmpty) {
  for (const std::string mode : {"affine", "symmetric", "mxfp4", "mxfp8", "nvfp4"}) {
    const std::vector<array> no_rows = quantize(zeros({0, 64}), std::nullopt, std::nullopt, mode);
    EXPECT_EQ(no_rows[0].to_host().shape()[0], 0);
    const std::vector<array> no_columns = quantize(zeros({3, 0}), std::nullopt, std::nullopt, mode);
    EXPECT_EQ(no_columns[0].to_host().shape(), (Shape{3, 0}));
    EXPECT_EQ(no_columns[1].to_host().shape(), (Shape{3, 0}));
    for (const bool lowered : {false, true}) {
      std::optional<LoweredScope> scope;
      if (lowered) scope.emplace();
      const auto biases = [](const std::vector<array>& q) {
        return q.size() > 2 ? std::optional(q[2]) : std::nullopt;
      };
      const auto product = [&](const Shape& x, const std::vector<array>& q, bool transpose) {
        return quantized_matmul(zeros(x), q[0], q[1], biases(q), transpose, std::nullopt,
                                std::nullopt, mode)
            .to_host();
      };
      EXPECT_EQ(product({2, 64}, no_rows, true).shape(), (Shape{2, 0}));
      EXPECT_EQ(product({0, 64}, no_rows, true).shape(), (Shape{0, 0}));
      EXPECT_EQ(product({2, 3}, no_columns, false).shape(), (Shape{2, 0}));
      const HostTensor nothing = product({2, 0}, no_columns, true);
      EXPECT_EQ(nothing.shape(), (Shape{2, 3}));
      for (const float y : nothing.values<float>()) EXPECT_EQ(y, 0.0f);
      for (const float y : product({2, 0}, no_rows, false).values<float>()) EXPECT_EQ(y, 0.0f);
    }
  }
}

TEST(QuantizedMatmul, GivesTheBitsOfTheExpandedWeights) {
  for (const std::string mode : {"affine", "symmetric", "mxfp4", "mxfp8", "nvfp4"}) {
    for (const int bits : {1, 2, 3, 4, 5, 6, 8}) {
      if (mode.find("fp") != std::string::npos && bits != (mode == "mxfp8" ? 8 : 4)) continue;
      const int group_size = mode == "nvfp4" ? 16 : 32;
      for (const Dtype dtype : {float32, bfloat16}) {
        const std::vector<array> q =
            quantize(normal({37, 1568}, bits, dtype), group_size, bits, mode);
        const auto biases = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
        std::optional<array> wide_biases;
        if (biases) wide_biases = astype(*biases, float32);
        const array scales = q[1].dtype() == uint8 ? q[1] : astype(q[1], float32);
        const array w =
            dequantize(q[0], scales, wide_biases, group_size, bits, mode, std::nullopt, float32);
        for (const std::int64_t m : {1, 2, 3, 5, 131}) {
          const array x = normal({m, 1568}, 7);
          EXPECT_EQ(
              values<float>(quantized_matmul(x, q[0], q[1], biases, true, group_size, bits, mode)),
              values<float>(linear(x, w)))
              << mode << " " << bits << " m " << m;
        }
      }
    }
  }
}

TEST(QuantizedMatmul, BroadcastsAWeightsBatchOverOneMatrix) {
  const array x = normal({3, 64}, 1);
  const std::vector<array> q = quantize(normal({2, 5, 64}, 2));
  const array want = matmul(x, swapaxes(dequantize(q[0], q[1], q[2]), -1, -2));
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array got = quantized_matmul(x, q[0], q[1], q[2]);
    EXPECT_EQ(got.shape(), (Shape{2, 3, 5}));
    EXPECT_LT(max(abs(got - want)).item<float>(), 1e-4f);
    const array row = quantized_matmul(reshape(slice(x, {1, 0}, {2, 64}), {64}), q[0], q[1], q[2]);
    EXPECT_EQ(row.shape(), (Shape{2, 5}));
    EXPECT_LT(max(abs(row - reshape(slice(want, {0, 1, 0}, {2, 2, 5}), {2, 5}))).item<float>(),
              1e-4f);
  }
}

TEST(QuantizedMatmul, TakesEveryGroupSizeAndAWeightThatIsNotContiguous) {
  for (const int group_size : {16, 32, 64, 128}) {
    const std::vector<array> q = quantize(normal({12, 256}, 3), group_size, 5);
    const auto every_second = [](const array& a) { return slice(a, {0, 0}, a.shape(), {2, 1}); };
    const array w = every_second(expanded(q, group_size, 5, "affine"));
    const array x = normal({3, 256}, 4);
    const array got = quantized_matmul(x, every_second(q[0]), every_second(q[1]),
                                       every_second(q[2]), true, group_size, 5);
    EXPECT_EQ(values<float>(got), values<float>(linear(x, w))) << group_size;
  }
}

TEST(QuantizedMatmul, RefusesWhatDoesNotFit) {
  const std::vector<array> q = quantize(normal({5, 64}, 1));
  const array x = normal({2, 64}, 2);
  const auto rows = [](const array& a, ShapeElem n) { return slice(a, {0, 0}, {n, a.shape(1)}); };
  EXPECT_REFUSED(quantized_matmul(x, q[0], rows(q[1], 4), rows(q[2], 4)), "[4, 1]");
  EXPECT_REFUSED(quantized_matmul(array(1.0f), q[0], q[1], q[2]), "dimensions");
  EXPECT_REFUSED(quantized_matmul(astype(x, float64), q[0], q[1], q[2]), "float64");
  EXPECT_REFUSED(quantized_matmul(x, q[0], q[1], q[2], true, 64, 7), "not 7");
  EXPECT_REFUSED(quantized_matmul(x, q[0], q[1], q[2], true, 8, 4), "not 8");
  EXPECT_REFUSED(quantize(astype(x, float64)), "float64");
}

TEST(GatherQmm, RefusesIndicesOutOfRangeWhenItRuns) {
  const std::vector<array> q = quantize(normal({4, 5, 64}, 1));
  const array x = normal({3, 2, 64}, 2);
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    EXPECT_REFUSED(gather_qmm(x, q[0], q[1], q[2], std::nullopt, array({0, 4, 1})).eval(),
                   "out of range");
    EXPECT_REFUSED(gather_qmm(x, q[0], q[1], q[2], array({0, 3}), array({0, 1})).eval(),
                   "out of range");
    EXPECT_REFUSED(gather_mm(x, normal({4, 64, 2}, 3), std::nullopt, array({0, -5, 1})).eval(),
                   "out of range");
    EXPECT_EQ(values<float>(gather_qmm(x, q[0], q[1], q[2], std::nullopt, array({-1, -4, 1}))),
              values<float>(gather_qmm(x, q[0], q[1], q[2], std::nullopt, array({3, 0, 1}))));
    EXPECT_EQ(
        gather_qmm(x, q[0], q[1], q[2], zeros({0}, int32), zeros({0}, int32)).to_host().shape(),
        (Shape{0, 2, 5}));
  }
}

TEST(GatherMm, InFloat64IsExact) {
  const array a = astype(normal({3, 2, 8}, 1), float64);
  const array b = astype(normal({4, 8, 5}, 2), float64);
  const array got = gather_mm(a, b, std::nullopt, array({3, 0, 3}));
  const array want = matmul(a, take(b, array({3, 0, 3}), 0));
  EXPECT_EQ(got.dtype(), float64);
  EXPECT_LT(max(abs(got - want)).item<double>(), 1e-14);
}

TEST(QuantizedLayers, EqualTheirExpansions) {
  for (const std::string mode : {"affine", "symmetric", "mxfp4"}) {
    const QuantGroups groups = quant_groups("test", mode, 32, 4);
    const std::vector<array> q = quantize(normal({7, 64}, 1), 32, 4, mode);
    const auto biases = q.size() > 2 ? std::optional(q[2]) : std::nullopt;
    const array table = expanded(q, 32, 4, mode, float32);
    const array bias = normal({7}, 2);
    const array x = normal({3, 64}, 3);
    EXPECT_EQ(values<float>(quantized_linear(x, q[0], q[1], biases, groups, bias)),
              values<float>(linear(x, table) + bias));
    const array ids({6, 0, 6, 2}, {2, 2});
    EXPECT_EQ(values<float>(quantized_embedding(ids, q[0], q[1], biases, groups)),
              values<float>(embedding(ids, table)));
    EXPECT_EQ(quantized_embedding(array(3), q[0], q[1], biases, groups, bfloat16).shape(),
              Shape{64});
    EXPECT_REFUSED(quantized_embedding(array({7}), q[0], q[1], biases, groups).eval(),
                   "out of range");
  }
}

TEST(QuantizedLayers, ExpandHalfScalesInTheDtypeAskedFor) {
  const QuantGroups groups = quant_groups("test", "affine", 32, 8);
  const std::vector<array> q = quantize(normal({5, 64}, 1, bfloat16), 32, 8);
  const array ids({4, 1});
  const array wide =
      take(dequantize(q[0], astype(q[1], float32), astype(q[2], float32), 32, 8), ids, 0);
  EXPECT_EQ(values<float>(quantized_embedding(ids, q[0], q[1], q[2], groups, float32)),
            values<float>(wide));
  const array narrow = take(dequantize(q[0], q[1], q[2], 32, 8), ids, 0);
  EXPECT_EQ(
      values<float>(astype(quantized_embedding(ids, q[0], q[1], q[2], groups, bfloat16), float32)),
      values<float>(astype(narrow, float32)));
}

TEST(Float8, NanOfEitherSignSaturates) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    EXPECT_EQ(values<std::uint8_t>(to_fp8(array({NAN, -NAN, -0.0f}))),
              (std::vector<std::uint8_t>{0x7e, 0x7e, 0x80}));
  }
}

TEST(Float8, EveryCodeButNanComesBack) {
  for (int code = 0; code < 256; ++code) {
    if ((code & 0x7f) == 0x7f) continue;
    EXPECT_EQ(to_e4m3(from_e4m3(static_cast<std::uint8_t>(code))), code);
  }
}

}  // namespace
}  // namespace tessera

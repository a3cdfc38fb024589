// Making, arranging and multiplying arrays where goldens do not reach: argument lists, bounds that
// MLX leaves open, what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

TEST(Arange, TakesEveryArgumentList) {
  EXPECT_EQ(arange(3.0).dtype(), float32);
  EXPECT_EQ(arange(3).dtype(), int32);
  EXPECT_EQ(values<float>(arange(0.0, 1.0, 0.25)), (std::vector<float>{0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(values<float>(arange(1.0, 3.5)), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(values<std::uint8_t>(arange(2.0, uint8)), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_REFUSED(arange(0.0, NAN, 1.0), "arange");
}

TEST(Full, TakesScalarsOfAnyType) {
  EXPECT_EQ(full({2}, 1.5f).dtype(), float32);
  EXPECT_EQ(values<int>(full({2}, 7)), (std::vector<int>{7, 7}));
  EXPECT_EQ(full({2}, 7, float16).dtype(), float16);
  EXPECT_EQ(values<int>(full_like(array({1, 2}), 3.9)), (std::vector<int>{3, 3}));
  EXPECT_EQ(full_like(array({1, 2}), true, float32).dtype(), float32);
  EXPECT_EQ(zeros_like(array({1, 2}), float16).dtype(), float16);
  EXPECT_EQ(values<int>(ones_like(array({5, 6}))), (std::vector<int>{1, 1}));
}

TEST(Eye, TakesEveryArgumentList) {
  EXPECT_EQ(eye(2).dtype(), float32);
  EXPECT_EQ(values<int>(eye(2, int32)), (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(eye(2, 3).shape(), (Shape{2, 3}));
  EXPECT_EQ(values<float>(tri(2)), (std::vector<float>{1, 0, 1, 1}));
  EXPECT_REFUSED(eye(-1), "-1");
  EXPECT_REFUSED(tri(2, -3, 0, float32), "-3");
}

TEST(Pad, TakesEveryArgumentList) {
  const array a({1, 2});
  EXPECT_EQ(values<int>(pad(a, 1)), (std::vector<int>{0, 1, 2, 0}));
  EXPECT_EQ(values<int>(pad(a, {1, 2}, array(9))), (std::vector<int>{9, 1, 2, 9, 9}));
  EXPECT_EQ(values<int>(pad(a, {{0, 1}})), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(values<int>(pad(a, std::vector<int>{-1}, Shape{2}, Shape{0}, array(0), "edge")),
            (std::vector<int>{1, 1, 1, 2}));
  EXPECT_EQ(pad(zeros({2, 3}), 1).shape(), (Shape{4, 5}));
  EXPECT_REFUSED(pad(a, std::vector<int>{0}, Shape{1, 1}, Shape{1}), "2 low");
  EXPECT_REFUSED(pad(a, std::vector<int>{1}, Shape{1}, Shape{1}), "axis 1");
  EXPECT_REFUSED(pad(a, -1), "negative");
}

TEST(Take, OfOnePlaceDropsTheAxis) {
  const array a = reshape(arange(0, 6), {2, 3});
  EXPECT_EQ(values<int>(take(a, 1, 0)), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(values<int>(take(a, -1, 1)), (std::vector<int>{2, 5}));
  EXPECT_EQ(take(a, 4).item<int>(), 4);
  EXPECT_REFUSED(take(a, 2, 0), "index 2");
  EXPECT_REFUSED(take(a, -7), "index -7");
}

TEST(SliceAtAnArray, RefusesToLeaveTheArray) {
  const array a = reshape(arange(0, 12), {3, 4});
  EXPECT_EQ(values<int>(slice(a, array({-1}), {0}, {1, 4})), (std::vector<int>{8, 9, 10, 11}));
  EXPECT_REFUSED(slice(a, array({2}), {0}, {2, 4}).eval(), "slice");
  EXPECT_REFUSED(slice_update(a, zeros({2, 2}), array({2, 0}), {0, 1}).eval(), "out of range");
  EXPECT_REFUSED(slice_update(a, zeros({1, 1, 1}), array({0}), {0}), "update");
  EXPECT_EQ(values<int>(slice(a, {0, 1}, {2, 3}, {1, 1})), (std::vector<int>{1, 2, 5, 6}));
}

TEST(MaskedScatter, NeedsABoolMaskThatFitsAndEnoughValues) {
  const array a = zeros({2, 2});
  EXPECT_REFUSED(masked_scatter(a, ones({2, 2}), array(1.0f)), "bool");
  EXPECT_REFUSED(masked_scatter(a, ones({3}, bool_), array(1.0f)), "[3]");
  EXPECT_REFUSED(masked_scatter(a, ones({2}, bool_), array({1.0f, 2.0f})).eval(), "out of range");
}

TEST(AsStrided, StaysWithinTheArray) {
  const array a = arange(0, 6);
  EXPECT_REFUSED(as_strided(a, {4}, {2}, 0), "6 elements");
  EXPECT_REFUSED(as_strided(a, {2}, {-2}, 1), "6 elements");
  EXPECT_REFUSED(as_strided(a, {2}, {INT64_MAX}, 1), "6 elements");
  EXPECT_REFUSED(as_strided(a, {2, 2}, {1}, 0), "strides");
  // Of a transposed array the elements in the order they are seen in, as in MLX.
  EXPECT_EQ(values<int>(as_strided(transpose(reshape(a, {2, 3})), {3}, {2}, 0)),
            (std::vector<int>{0, 1, 2}));
}

TEST(NumberOfElements, CountsAlongAxes) {
  EXPECT_EQ(number_of_elements(zeros({2, 3, 4}), {0, -1}, false).item<int>(), 8);
  EXPECT_EQ(number_of_elements(zeros({2, 5}), {1}, true, float32).item<float>(), 0.2f);
  EXPECT_REFUSED(number_of_elements(zeros({2}), {1}, false), "axis 1");
}

TEST(Roll, TakesDistancesFarPastTheAxis) {
  EXPECT_EQ(values<int>(roll(array({1, 2, 3}), 3000000)), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(values<int>(roll(array({1, 2, 3}), Shape{INT64_MIN}, 0)), (std::vector<int>{3, 1, 2}));
}

TEST(Kron, OfNothingIsNothing) {
  EXPECT_EQ(kron(zeros({0, 2}), ones({3})).to_host().shape(), (Shape{0, 6}));
}

TEST(Einsum, MultipliesIntegers) {
  // MLX refuses where it would call matmul.
  const array a = reshape(arange(0, 6), {2, 3});
  EXPECT_EQ(values<int>(einsum("ij,kj->ik", {a, a})), (std::vector<int>{5, 14, 14, 50}));
}

TEST(Einsum, SaysWhatDoesNotFit) {
  const array a = zeros({2, 3});
  EXPECT_REFUSED(einsum("ij,jk", {a}), "1 are given");
  EXPECT_REFUSED(einsum("ij,jk", {a, a}), "another size");
  EXPECT_REFUSED(einsum("ijk", {a}), "float32 [2, 3]");
  EXPECT_REFUSED(einsum("ij->ik", {a}), "no input has");
  EXPECT_REFUSED(einsum("ij->ii", {a}), "twice");
  EXPECT_REFUSED(einsum("...i...", {a}), "one \"...\"");
  EXPECT_REFUSED(einsum_path("ij,jk", {a}), "1 are given");
  EXPECT_REFUSED(einsum("", {}), "0 are given");
}

TEST(SegmentedMm, AddsNothingFromOutside) {
  const array a = ones({2, 4}), b = ones({4, 3});
  const array segments = reshape(array({2, 9, 3, 1}), {2, 2});
  EXPECT_EQ(values<float>(sum(segmented_mm(a, b, segments), std::vector<int>{1, 2})),
            (std::vector<float>{12, 0}));
}

TEST(Hadamard, RefusesSizesWithoutAMatrix) {
  EXPECT_REFUSED(hadamard_transform(zeros({2, 36})), "36");  // MLX takes it for a power of 2
  EXPECT_REFUSED(hadamard_transform(array(1.0f)), "scalar");
  EXPECT_REFUSED(hadamard_transform(zeros({2, 0})), "[2, 0]");
}

TEST(Statistics, OfHalvesDoNotOverflow) {
  EXPECT_EQ(float(var(array({200.0f, -200.0f}, float16)).item<float16_t>()), 40000.0f);
  EXPECT_EQ(float(std(array({60000.0f, -60000.0f}, float16)).item<float16_t>()), 60000.0f);
}

}  // namespace
}  // namespace tessera

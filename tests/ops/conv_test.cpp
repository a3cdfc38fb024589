// What the goldens of convolutions cannot hold: cases that MLX refuses, crashes on or answers
// otherwise, layouts, and sizes past one tile.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

array whole_numbers(Shape shape, std::uint64_t seed, Dtype dtype = float32) {
  return astype(random::randint(-4, 5, shape, int32, random::key(seed)), dtype);
}

// Both ways; small whole numbers make every order of summation exact.
void expect_equal(const std::function<array()>& made, const array& want) {
  EXPECT_EQ(values<float>(astype(made(), float32)), values<float>(astype(want, float32)));
  const LoweredScope lowered;
  EXPECT_EQ(values<float>(astype(made(), float32)), values<float>(astype(want, float32)));
}

TEST(Conv, OfGroupsIsTheGroupsSideBySide) {
  const array x = whole_numbers({2, 3, 4, 5, 6}, 1);
  const array w = whole_numbers({4, 2, 3, 2, 3}, 2);
  const std::vector<array> parts = split(x, 2, -1), kernels = split(w, 2, 0);
  expect_equal(
      [&] {
        return conv3d(x, w, {1, 1, 1}, {0, 1, 0}, {1, 1, 2}, 2);
      },
      concatenate({conv3d(parts[0], kernels[0], {1, 1, 1}, {0, 1, 0}, {1, 1, 2}),
                   conv3d(parts[1], kernels[1], {1, 1, 1}, {0, 1, 0}, {1, 1, 2})},
                  -1));
}

TEST(Conv, CropsTheDilatedInput) {
  const array x({1.0f, 2.0f, 3.0f, 4.0f}, {1, 4, 1});
  const array one({1.0f}, {1, 1, 1});
  // 1 0 2 0 3 0 4 without its first and its last two.
  expect_equal([&] { return conv_general(x, one, {1}, {-1}, {-2}, {1}, std::vector<int>{2}); },
               array({0.0f, 2.0f, 0.0f, 3.0f}, {1, 4, 1}));
  // PyTorch's conv_transpose1d(x, one, stride=2, padding=1).
  expect_equal([&] { return conv_transpose1d(x, one, 2, 1); },
               array({0.0f, 2.0f, 0.0f, 3.0f, 0.0f}, {1, 5, 1}));
}

TEST(Conv, OfNothing) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    EXPECT_EQ(values<float>(conv1d(zeros({1, 5, 0}), zeros({2, 2, 0}))),
              std::vector<float>(8, 0.0f));
    EXPECT_EQ(conv1d(zeros({1, 5, 4}), zeros({0, 2, 4})).to_host().shape(), (Shape{1, 4, 0}));
    EXPECT_EQ(conv2d(zeros({0, 5, 5, 4}), zeros({3, 2, 2, 4})).to_host().shape(),
              (Shape{0, 4, 4, 3}));
    EXPECT_EQ(conv1d(zeros({0, 5, 4}), zeros({4, 2, 1}), 1, 0, 1, 4).to_host().shape(),
              (Shape{0, 4, 4}));
    EXPECT_EQ(group_norm(zeros({0, 3, 4}), 2).to_host().shape(), (Shape{0, 3, 4}));
    EXPECT_EQ(group_norm(zeros({2, 0, 4}), 2).to_host().shape(), (Shape{2, 0, 4}));
  }
}

TEST(Conv, ReadsStridedInputs) {
  const array x = whole_numbers({2, 5, 7, 6}, 3);
  const array w = whole_numbers({3, 4, 2, 5}, 4);
  const array turned = transpose(x, {0, 3, 2, 1});  // [2, 6, 7, 5]
  const array kernel = slice(w, {2, 3, 0, 0}, {-4, -5, 2, 5}, {-1, -1, 1, 1});
  const array want = conv2d(turned + 0.0f, kernel + 0.0f);
  expect_equal([&] { return conv2d(turned, kernel); }, want);
  const array repeated = broadcast_to(whole_numbers({1, 1, 7, 5}, 5), {2, 6, 7, 5});
  expect_equal([&] { return conv2d(repeated, kernel); }, conv2d(repeated + 0.0f, kernel));
}

TEST(Conv, InTilesEqualsItsLowering) {
  // 40,000 positions that see 9 * 40 values each: several tiles.
  const array x = whole_numbers({1, 200, 200, 40}, 6, float16);
  const array w = whole_numbers({7, 3, 3, 40}, 7, float16);
  const array native = conv2d(x, w, {1, 1}, {1, 1});
  native.eval();
  expect_equal([&] { return native; },
               [&] {
                 const LoweredScope lowered;
                 const array out = conv2d(x, w, {1, 1}, {1, 1});
                 out.eval();
                 return out;
               }());
}

TEST(Conv, OfFloat64SumsInDouble) {
  const array x({1.0, 1e-12, -1.0}, {1, 3, 1});
  const array w({1.0, 1.0, 1.0}, {1, 3, 1});
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    EXPECT_NEAR(conv1d(x, w).item<double>(), 1e-12, 1e-16);
    const array wide = conv1d(broadcast_to(x, {1, 3, 4}), astype(ones({2, 3, 4}), float64));
    EXPECT_NEAR(values<double>(wide)[1], 4e-12, 1e-15);
  }
}

TEST(Conv, RefusesBadArguments) {
  const array x = zeros({1, 5, 6, 4});
  const array w = zeros({6, 2, 2, 4});
  EXPECT_REFUSED(conv2d(x, zeros({6, 2, 2, 3})), "[1, 5, 6, 4]");
  EXPECT_REFUSED(conv2d(x, zeros({6, 2, 2, 3})), "[6, 2, 2, 3]");
  EXPECT_REFUSED(conv2d(x, w, {0, 1}), "stride");
  EXPECT_REFUSED(conv2d(x, w, {1, 1}, {0, 0}, {1, 0}), "kernel_dilation");
  EXPECT_REFUSED(conv2d(x, w, {1, 1}, {0, 0}, {1, 1}, 0), "groups = 0");
  EXPECT_REFUSED(conv2d(x, w, {1, 1}, {0, 0}, {1, 1}, -2), "groups = -2");
  EXPECT_REFUSED(conv2d(x, zeros({6, 2, 2, 1}), {1, 1}, {0, 0}, {1, 1}, 3), "groups = 3");
  EXPECT_REFUSED(conv2d(x, zeros({6, 0, 2, 4})), "empty kernel");
  EXPECT_REFUSED(conv2d(x, zeros({6, 2, 7, 4})), "spatial axis 1");
  EXPECT_REFUSED(conv1d(x, w), "1 spatial axes");
  EXPECT_REFUSED(conv_general(x, w, {1, 1, 1}), "3 entries");
  EXPECT_REFUSED(conv_general(zeros({1, 2, 2, 2, 2, 1}), zeros({1, 1, 1, 1, 1, 1})), "1 to 3");
  EXPECT_REFUSED(conv2d(zeros({1, 5, 6, 4}, int32), w), "floating");
  EXPECT_REFUSED(conv_transpose2d(x, w, {0, 1}), "input_dilation");
  const ShapeElem huge = ShapeElem{1} << 61;
  EXPECT_REFUSED(conv_general(zeros({1, huge, 1}), zeros({1, 1, 1}), {}, {}, {}, {2000000000}),
                 "2^63");
  EXPECT_REFUSED(conv1d(zeros({1, huge, 1}, float16), zeros({8, 1, 1}, float16)), "2^63");
}

TEST(GroupNorm, RefusesBadArguments) {
  const array x = zeros({2, 3, 6});
  EXPECT_REFUSED(group_norm(x, 4), "4 groups");
  EXPECT_REFUSED(group_norm(x, 0), "0 groups");
  EXPECT_REFUSED(group_norm(x, 2, zeros({5})), "[5]");
  EXPECT_REFUSED(group_norm(x, 2, std::nullopt, zeros({3})), "[3]");
  EXPECT_REFUSED(group_norm(zeros({6}), 2), "2 dimensions");
  EXPECT_REFUSED(group_norm(zeros({2, 6}, int32), 2), "floating");
}

}  // namespace
}  // namespace tessera

// Attention rows with nothing to attend to.
#include <gtest/gtest.h>

#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera {
namespace {

struct Setting {
  Dtype dtype;
  int heads;
};

class MaskedRows : public ::testing::TestWithParam<Setting> {
 protected:
  // q = k = v: 0/8 to 7/8 in [1, heads, 4, 2], every head the same.
  array input() const {
    const array one = reshape(arange(0.0, 8.0, float32) / 8.0f, {1, 1, 4, 2});
    return astype(broadcast_to(one, {1, GetParam().heads, 4, 2}), GetParam().dtype);
  }
  float tolerance() const {
    return GetParam().dtype == float32 ? 1e-6f : GetParam().dtype == float16 ? 1e-3f : 8e-3f;
  }
  static std::vector<float> row(const array& out, int head, int i) {
    const array wide = astype(slice(out, {0, head, i, 0}, {1, head + 1, i + 1, 2}), float32);
    return {wide.data<float>(), wide.data<float>() + 2};
  }
};

array additive(const array& keep) {
  return where(keep, array(0.0f), array(-INFINITY));
}

TEST_P(MaskedRows, AFullyMaskedRowIsZeroAndTheOthersAreAsWithoutIt) {
  const array q = input();
  const array keep({true, true, true, true,      //
                    false, false, false, false,  //
                    true, true, true, true,      //
                    true, false, true, false},
                   {4, 4});
  const array open({true, true, true, true, true, true, true, true,  //
                    true, true, true, true, true, false, true, false},
                   {4, 4});
  const array want = sdpa(q, q, q, Sdpa{.scale = 1}, open);
  for (const array& mask : {keep, additive(keep)}) {
    const array out = sdpa(q, q, q, Sdpa{.scale = 1}, mask);
    EXPECT_EQ(out.dtype(), GetParam().dtype);
    for (int h = 0; h < GetParam().heads; ++h) {
      EXPECT_EQ(row(out, h, 1), (std::vector<float>{0, 0}));
      for (const int i : {0, 2, 3}) EXPECT_EQ(row(out, h, i), row(want, h, i)) << "row " << i;
    }
  }
}

TEST_P(MaskedRows, CausalWithTheFirstKeyHiddenLeavesQueryZeroNothing) {
  const array q = input();
  array keep = ones({4, 4}, bool_);
  keep = slice_update(keep, array(false), {0, 0}, {1, 1});
  const array out = sdpa(q, q, q, Sdpa{.scale = 1, .causal = true}, keep);
  const array causal = sdpa(q, q, q, Sdpa{.scale = 1, .causal = true});
  for (int h = 0; h < GetParam().heads; ++h) {
    EXPECT_EQ(row(out, h, 0), (std::vector<float>{0, 0}));
    for (int i = 1; i < 4; ++i) {
      const std::vector<float> got = row(out, h, i);
      const std::vector<float> want = row(causal, h, i);
      for (int d = 0; d < 2; ++d) EXPECT_NEAR(got[d], want[d], tolerance());
    }
  }
}

TEST_P(MaskedRows, MoreQueriesThanKeysLeaveTheFirstOnesNothing) {
  const array q = input();
  const array k = slice(q, {0, 0, 2, 0}, {1, GetParam().heads, 4, 2});
  const array out = sdpa(q, k, k, Sdpa{.scale = 1, .causal = true});
  for (int h = 0; h < GetParam().heads; ++h) {
    EXPECT_EQ(row(out, h, 0), (std::vector<float>{0, 0}));
    EXPECT_EQ(row(out, h, 1), (std::vector<float>{0, 0}));
    EXPECT_EQ(row(out, h, 2), row(k, h, 0));
  }
}

TEST_P(MaskedRows, NoKeysAtAllGiveZeros) {
  const array q = input();
  const array none = zeros({1, GetParam().heads, 0, 2}, GetParam().dtype);
  const array out = sdpa(q, none, none, Sdpa{.scale = 1});
  EXPECT_EQ(out.shape(), q.shape());
  EXPECT_EQ(max(abs(astype(out, float32))).item<float>(), 0.0f);
}

INSTANTIATE_TEST_SUITE_P(, MaskedRows,
                         ::testing::Values(Setting{float32, 1}, Setting{float32, 8},
                                           Setting{float16, 1}, Setting{float16, 8},
                                           Setting{bfloat16, 1}, Setting{bfloat16, 8}),
                         [](const auto& info) {
                           return std::string(to_string(info.param.dtype)) + "heads" +
                                  std::to_string(info.param.heads);
                         });

// The plain op has another contract: a softmax over nothing finite has no answer.
TEST(Softmax, OfARowOfMinusInfinityIsNan) {
  const array out = softmax(array({-INFINITY, -INFINITY}));
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
}

}  // namespace
}  // namespace tessera

#include "tessera/core/dtype.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

// Expected values: mlx 0.32 result_type of one-element arrays.
TEST(Dtype, PromotionFollowsMlx) {
  EXPECT_EQ(promote_types(float16, bfloat16), float32);
  EXPECT_EQ(promote_types(int32, float16), float16);
  EXPECT_EQ(promote_types(int64, bfloat16), bfloat16);
  EXPECT_EQ(promote_types(bool_, int8), int8);
  EXPECT_EQ(promote_types(uint8, int8), int16);
  EXPECT_EQ(promote_types(uint32, int32), int64);
  EXPECT_EQ(promote_types(uint64, int64), float32);
  EXPECT_EQ(promote_types(uint8, int64), int64);
  EXPECT_EQ(promote_types(float64, float16), float64);
  EXPECT_EQ(promote_types(complex64, int32), complex64);
}

TEST(Dtype, PromotionIsCommutativeAndKeepsItself) {
  const Dtype all[] = {bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
                       int32, int64, float16, float32, float64, bfloat16, complex64};
  for (Dtype a : all) {
    EXPECT_EQ(promote_types(a, a), a);
    for (Dtype b : all) EXPECT_EQ(promote_types(a, b), promote_types(b, a));
  }
}

TEST(Dtype, Categories) {
  EXPECT_TRUE(issubdtype(uint8, Dtype::Category::integer));
  EXPECT_TRUE(issubdtype(bfloat16, Dtype::Category::inexact));
  EXPECT_FALSE(issubdtype(bool_, Dtype::Category::number));
  EXPECT_TRUE(issubdtype(complex64, Dtype::Category::number));
}

}  // namespace
}  // namespace tessera

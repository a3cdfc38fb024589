#include "tessera/core/shape.h"

#include <gtest/gtest.h>

#include "tessera/core/error.h"

namespace tessera {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ(num_elements(Shape{}), 1);
  EXPECT_EQ(num_elements(Shape{2, 0, 5}), 0);
  EXPECT_EQ(num_elements(Shape{1LL << 31, 4}), 1LL << 33);
}

TEST(Shape, OverflowIsAnErrorEvenBesideAZero) {
  EXPECT_THROW(num_elements(Shape{1LL << 40, 1LL << 40}), Error);
  EXPECT_THROW(num_elements(Shape{1LL << 40, 1LL << 40, 0}), Error);
  EXPECT_THROW(num_elements(Shape{-1}), Error);
}

TEST(Shape, BroadcastsFromTheRight) {
  EXPECT_EQ(broadcast_shapes({1, 1, 2, 1, 1, 6}, {1, 6, 1}, "add"), (Shape{1, 1, 2, 1, 6, 6}));
  EXPECT_EQ(broadcast_shapes({0, 3}, {1, 3}, "add"), (Shape{0, 3}));
  EXPECT_EQ(broadcast_shapes({}, {4}, "add"), (Shape{4}));
}

TEST(Shape, BroadcastErrorNamesBothShapes) {
  try {
    broadcast_shapes({2, 3}, {2}, "add");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::shape_mismatch);
    EXPECT_NE(std::string(e.what()).find("[2, 3]"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("[2]"), std::string::npos);
  }
  EXPECT_THROW(broadcast_shapes({0, 3}, {2, 3}, "add"), Error);
}

TEST(Shape, GrowsPastItsInlineStorage) {
  Shape s;
  for (int i = 0; i < 20; ++i) s.push_back(i);
  Shape copy = s;
  s.erase(s.begin());
  EXPECT_EQ(s.size(), 19u);
  EXPECT_EQ(s[0], 1);
  copy.insert(copy.begin() + 1, 99);
  EXPECT_EQ(copy[1], 99);
  EXPECT_EQ(copy.back(), 19);
  Shape moved = std::move(copy);
  EXPECT_EQ(moved.size(), 21u);
}

}  // namespace
}  // namespace tessera

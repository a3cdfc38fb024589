// Making arrays from C++ values and reading them back.
#include "tessera/ir/array.h"

#include <gtest/gtest.h>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

template <class T>
std::vector<T> values(const array& a) {
  const auto v = a.to_host().values<T>();
  return {v.begin(), v.end()};
}

TEST(Array, ScalarsTakeTheDtypeOfTheirType) {
  EXPECT_EQ(array(1).dtype(), int32);
  EXPECT_EQ(array(1.0f).dtype(), float32);
  EXPECT_EQ(array(true).dtype(), bool_);
  EXPECT_EQ(array(std::int64_t{1}).dtype(), int64);
  EXPECT_EQ(array(std::uint8_t{1}).dtype(), uint8);
  EXPECT_EQ(array(float16_t(1.5f)).dtype(), float16);
  EXPECT_EQ(array(bfloat16_t(1.5f)).dtype(), bfloat16);
  EXPECT_EQ(array(1).ndim(), 0u);
  EXPECT_EQ(array(1).size(), 1);
  EXPECT_EQ(array(2.9f, int32).item<std::int32_t>(), 2);
  EXPECT_EQ(float(array(1, float16).item<float16_t>()), 1.0f);
}

TEST(Array, ListsMakeVectorsAndShapedArrays) {
  const array v({1, 2, 3});
  EXPECT_EQ(v.dtype(), int32);
  EXPECT_EQ(v.shape(), Shape{3});
  const array m({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, {2, 3});
  EXPECT_EQ(m.shape(0), 2);
  EXPECT_EQ(m.shape(-1), 3);
  EXPECT_EQ(m.nbytes(), 24u);
  EXPECT_EQ(values<float>(transpose(m)), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const array b({true, false});
  EXPECT_EQ(b.dtype(), bool_);
  const array h({1.0f, 2.0f}, {2}, float16);
  EXPECT_EQ(h.dtype(), float16);
  EXPECT_EQ(h.itemsize(), 2u);
  const std::vector<std::uint32_t> data{7, 8};
  EXPECT_EQ(values<std::uint32_t>(array(std::span<const std::uint32_t>(data), {2})), data);
}

TEST(Array, TheNumberOfValuesMustFitTheShape) {
  EXPECT_THROW(array({1.0f, 2.0f}, {3}), Error);
  EXPECT_THROW(array({1.0f, 2.0f}, {-2}), Error);
}

TEST(Array, ItemRefusesWhatIsNotOneElement) {
  EXPECT_THROW(array({1.0f, 2.0f}).item<float>(), Error);
  EXPECT_THROW(zeros({0}).item<float>(), Error);
  EXPECT_EQ(ones({1, 1, 1}).item<float>(), 1.0f);
}

TEST(Array, ReadingAsAnotherTypeIsRefusedByName) {
  const array a({1.0f, 2.0f});
  try {
    a.data<std::int32_t>();
    FAIL() << "float32 was read as int32";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::unsupported_dtype);
    EXPECT_NE(std::string(e.what()).find("float32"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("int32"), std::string::npos) << e.what();
  }
  EXPECT_THROW(array(1).item<float>(), Error);
}

TEST(Array, AxesOutOfRangeAreRefused) {
  const array a = zeros({2, 3});
  EXPECT_EQ(a.shape(-2), 2);
  EXPECT_THROW(a.shape(2), Error);
  EXPECT_THROW(a.shape(-3), Error);
}

TEST(Array, DataStaysWhereItIsWhileTheArrayLives) {
  const array a = arange(0.0, 8.0, float32);
  const float* first = a.data<float>();
  const array copy = a;
  EXPECT_EQ(copy.data<float>(), first);
  EXPECT_EQ(copy.id(), a.id());
  EXPECT_EQ(a.data<float>(), first);
}

TEST(Array, AViewIsReadInItsOwnOrder) {
  const array a = reshape(arange(0, 12), {3, 4});
  const array view = slice(transpose(a), {3, 2}, {0, -4}, {-2, -1});
  EXPECT_EQ(view.shape(), (Shape{2, 3}));
  EXPECT_EQ(values<int>(view), (std::vector<int>{11, 7, 3, 9, 5, 1}));
  EXPECT_EQ(values<int>(broadcast_to(array({4, 5}), {2, 2})), (std::vector<int>{4, 5, 4, 5}));
}

TEST(Array, ZeroSizesHaveNoElementsButKeepTheirShape) {
  const array a = zeros({2, 0, 3}, float16);
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(a.nbytes(), 0u);
  EXPECT_TRUE(a.to_host().values<float16_t>().empty());
  EXPECT_EQ(transpose(a).shape(), (Shape{3, 0, 2}));
}

TEST(Array, MixedScalarsFollowTheArray) {
  EXPECT_EQ((array({1, 2}) + 1).dtype(), int32);
  EXPECT_EQ((array({1, 2}) + 1.5f).dtype(), float32);
  EXPECT_EQ((array({1.0f}, {1}, float16) * 2.0f).dtype(), float16);
  EXPECT_EQ((array({1.0f}, {1}, bfloat16) + 1).dtype(), bfloat16);
  EXPECT_EQ((array({true}) + 1).dtype(), int32);
  EXPECT_EQ((array({true}) + 1.0).dtype(), float32);
  EXPECT_EQ((array(std::uint8_t{200}) + 100).item<std::uint8_t>(), 44);
  EXPECT_EQ((3 - array({1, 2})).to_host().values<int>()[1], 1);
  EXPECT_EQ((array(std::uint8_t{5}) - 7).item<std::uint8_t>(), 254);
}

}  // namespace
}  // namespace tessera

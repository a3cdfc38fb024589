// Inputs that trip tensor libraries: zero sizes, wide broadcasts, narrow sums, huge shapes, odd
// bounds.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

using testing::values;

// --- Running sums ---

TEST(Sums, OfNarrowIntegersAreWide) {
  EXPECT_EQ(sum(array({200, 100, 50}, {3}, uint8)).item<std::uint32_t>(), 350u);
  EXPECT_EQ(sum(array({100, 100, 50}, {3}, int8)).item<std::int32_t>(), 250);
  EXPECT_EQ(sum(ones({128}, bool_)).item<std::int32_t>(), 128);
  EXPECT_EQ(sum(ones({350}, uint8)).item<std::uint32_t>(), 350u);
  EXPECT_EQ(float(sum(ones({4096}, float16)).item<float16_t>()), 4096.0f);
  EXPECT_EQ(sum(astype(array({1 << 30, 1 << 30, 5}), int64)).item<std::int64_t>(), 2147483653);
  EXPECT_EQ(prod(array({100, 100}, {2}, int8)).item<std::int32_t>(), 10000);
}

TEST(Sums, OfInt32Wrap) {
  EXPECT_EQ(sum(array({2147483647, 1})).item<std::int32_t>(), INT32_MIN);
  EXPECT_EQ(cumsum(array({2147483647, 1})).data<std::int32_t>()[1], INT32_MIN);
  EXPECT_EQ((array(INT32_MIN) * -1).item<std::int32_t>(), INT32_MIN);
  EXPECT_EQ((-array(INT32_MIN)).item<std::int32_t>(), INT32_MIN);
  EXPECT_EQ(abs(array(INT32_MIN)).item<std::int32_t>(), INT32_MIN);
  EXPECT_EQ(square(array(std::uint16_t{65535})).item<std::uint16_t>(), 1);
  EXPECT_EQ(prod(array({65536, 65536})).item<std::int32_t>(), 0);
}

TEST(CumSum, KeepsTheDtypeButNotBool) {
  // As MLX: cast first where the sum may not fit.
  EXPECT_EQ(cumsum(array({200, 100, 50}, {3}, uint8)).dtype(), uint8);
  EXPECT_EQ(values<std::int64_t>(cumsum(array({200, 100, 50}, {3}, int64))),
            (std::vector<std::int64_t>{200, 300, 350}));
  EXPECT_EQ(values<std::int64_t>(cumsum(array({1 << 30, 1 << 30, 5}, {3}, int64))),
            (std::vector<std::int64_t>{1073741824, 2147483648, 2147483653}));
  EXPECT_EQ(values<std::int32_t>(cumsum(array({true, true, false}))),
            (std::vector<std::int32_t>{1, 2, 2}));
  EXPECT_EQ(cumsum(ones({128}, bool_)).data<std::int32_t>()[127], 128);
  EXPECT_EQ(cumsum(astype(ones({350}, uint8), int32)).data<std::int32_t>()[349], 350);
}

TEST(CumSum, OfHalvesAccumulatesInFloat) {
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    const array f16 = cumsum(ones({4096}, float16));
    EXPECT_EQ(float(f16.data<float16_t>()[4095]), 4096.0f) << lowered;
    const array bf16 = cumsum(ones({1024}, bfloat16));
    EXPECT_EQ(float(bf16.data<bfloat16_t>()[1023]), 1024.0f) << lowered;
  }
}

TEST(Sums, OfManyOnesAreExact) {
  EXPECT_EQ(sum(ones({1 << 25}) * array({1.0f})).item<float>(), float(1 << 25));
  EXPECT_EQ(mean(ones({3, 1 << 20}), 1).data<float>()[2], 1.0f);
}

// --- Zero sizes ---

TEST(ZeroSizes, ReduceToTheIdentityOrRefuse) {
  EXPECT_EQ(max(zeros({0, 2}), -1).shape(), Shape{0});
  EXPECT_REFUSED(max(zeros({2, 0}), -1), "axis 1");
  EXPECT_REFUSED(min(zeros({0})), "axis 0");
  EXPECT_REFUSED(argmax(zeros({2, 0}), 1), "axis 1");
  EXPECT_REFUSED(argmin(zeros({0, 0})), "axis 0");
  EXPECT_EQ(values<float>(sum(zeros({2, 0}), -1)), (std::vector<float>{0, 0}));
  EXPECT_EQ(values<float>(prod(zeros({2, 0}), -1)), (std::vector<float>{1, 1}));
  EXPECT_TRUE(std::isnan(mean(zeros({0})).item<float>()));
  EXPECT_TRUE(all(zeros({0})).item<bool>());
  EXPECT_FALSE(any(zeros({0})).item<bool>());
  EXPECT_EQ(argmax(zeros({0, 3}), 1).shape(), Shape{0});
  EXPECT_EQ(cumsum(zeros({0})).size(), 0);
  EXPECT_EQ(sum(zeros({0, 3}), 1).shape(), Shape{0});
  EXPECT_EQ(values<float>(sum(zeros({0, 3}), 0)), (std::vector<float>{0, 0, 0}));
}

TEST(ZeroSizes, MultiplyToZerosOrRefuse) {
  EXPECT_EQ(matmul(zeros({0}), zeros({0})).item<float>(), 0.0f);
  EXPECT_EQ(values<float>(matmul(zeros({2, 0}), zeros({0, 3}))), std::vector<float>(6, 0.0f));
  EXPECT_REFUSED(matmul(zeros({0, 3}), zeros({4, 0})), "3 vs 4");
  EXPECT_EQ(values<float>(linear(zeros({2, 0}), zeros({3, 0}), array({1.0f, 2.0f, 3.0f}))),
            (std::vector<float>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(linear(zeros({0, 4}), zeros({3, 4})).to_host().shape(), (Shape{0, 3}));
  EXPECT_EQ(linear(zeros({2, 4}), zeros({0, 4})).to_host().shape(), (Shape{2, 0}));
}

TEST(ZeroSizes, Reshape) {
  EXPECT_EQ(reshape(zeros({2, 0}), {0, 5, 3}).shape(), (Shape{0, 5, 3}));
  EXPECT_REFUSED(reshape(zeros({1, 0, 32, 64}), {1, 0, -1}), "-1");
  EXPECT_REFUSED(reshape(zeros({0}), {1}), "[1]");
  EXPECT_EQ(reshape(zeros({3, 0}), {-1, 4}).shape(), (Shape{0, 4}));
  EXPECT_REFUSED(reshape(ones({4}), {-1, -1}), "more than one -1");
  EXPECT_REFUSED(reshape(ones({4}), {-2, -2}), "negative");
  EXPECT_REFUSED(reshape(ones({4}), {-4, -1}), "negative");
}

TEST(ZeroSizes, BroadcastLikeAnyOther) {
  EXPECT_EQ((zeros({0, 3}) + zeros({1, 3})).to_host().shape(), (Shape{0, 3}));
  EXPECT_REFUSED(zeros({0, 3}) + zeros({2, 3}), "[0, 3]");
  EXPECT_EQ((zeros({0}) + 1.0f).shape(), Shape{0});
  EXPECT_EQ(where(zeros({0, 1}), array(1), array({1, 2})).to_host().shape(), (Shape{0, 2}));
}

TEST(ZeroSizes, PassThroughTheFusedOps) {
  EXPECT_EQ(softmax(zeros({0, 5}), -1).to_host().shape(), (Shape{0, 5}));
  EXPECT_EQ(softmax(zeros({5, 0}), -1).to_host().shape(), (Shape{5, 0}));
  EXPECT_EQ(logsumexp(zeros({0, 5}), -1).to_host().shape(), Shape{0});
  EXPECT_EQ(fast::rms_norm(zeros({0, 4}), ones({4}), 1e-5f).to_host().shape(), (Shape{0, 4}));
  EXPECT_EQ(fast::rms_norm(zeros({4, 0}), ones({0}), 1e-5f).to_host().shape(), (Shape{4, 0}));
  EXPECT_EQ(fast::layer_norm(zeros({0, 4}), ones({4}), zeros({4}), 1e-5f).to_host().shape(),
            (Shape{0, 4}));
  const array q = zeros({0, 2, 3, 4});
  EXPECT_EQ(sdpa(q, q, q, Sdpa{}).to_host().shape(), q.shape());
  const array no_queries = zeros({1, 2, 0, 4});
  EXPECT_EQ(sdpa(no_queries, zeros({1, 2, 3, 4}), zeros({1, 2, 3, 4}), Sdpa{}).to_host().shape(),
            no_queries.shape());
  EXPECT_EQ(fast::rope(zeros({0, 2, 3, 4}), 4, false, 1e4f, 1.0f, 0).to_host().shape(),
            (Shape{0, 2, 3, 4}));
  EXPECT_EQ(fast::rope(zeros({1, 2, 0, 4}), 4, false, 1e4f, 1.0f, 0).to_host().shape(),
            (Shape{1, 2, 0, 4}));
  EXPECT_EQ(embedding(zeros({0}, int32), ones({3, 4})).to_host().shape(), (Shape{0, 4}));
  EXPECT_EQ(swiglu(zeros({0, 4}), zeros({0, 4})).to_host().shape(), (Shape{0, 4}));
  EXPECT_EQ(concatenate({zeros({0, 2}), ones({1, 2})}).to_host().shape(), (Shape{1, 2}));
  EXPECT_EQ(split(zeros({0, 4}), 2, 1)[1].to_host().shape(), (Shape{0, 2}));
  EXPECT_EQ(take(zeros({3, 0}), array({2, 1}), 0).to_host().shape(), (Shape{2, 0}));
  EXPECT_REFUSED(take(zeros({0, 3}), array({0}), 0).eval(), "out of range");
  EXPECT_EQ(slice_update(zeros({2, 0}), zeros({1, 0}), {0, 0}, {1, 0}).to_host().shape(),
            (Shape{2, 0}));
  EXPECT_EQ(pad(zeros({0}), {{1, 2}}, array(7.0f)).to_host().shape(), Shape{3});
}

// --- Broadcasting ---

TEST(Broadcasting, AcrossRanks) {
  const array out = ones({1, 1, 2, 1, 1, 6}) + ones({1, 6, 1});
  EXPECT_EQ(out.shape(), (Shape{1, 1, 2, 1, 6, 6}));
  EXPECT_EQ(values<float>(out), std::vector<float>(72, 2.0f));
  EXPECT_EQ(sum(out).item<float>(), 144.0f);
  EXPECT_REFUSED(ones({2, 3}) + ones({2}), "[2, 3] and [2]");
  const array high = ones({1, 2, 1, 2, 1, 2, 1, 2}) * reshape(arange(0.0, 4.0, float32), {2, 1, 2});
  EXPECT_EQ(high.shape(), (Shape{1, 2, 1, 2, 1, 2, 1, 2}));
  EXPECT_EQ(sum(high).item<float>(), 4 * 6.0f);
}

TEST(Broadcasting, RefusesToShrink) {
  EXPECT_REFUSED(broadcast_to(ones({3}), {1}), "[1]");
  EXPECT_REFUSED(broadcast_to(ones({2, 3}), {3}), "[3]");
  EXPECT_REFUSED(broadcast_to(ones({1}), {-1}), "negative");
}

TEST(Broadcasting, ReductionsCountRepeatedElements) {
  const array row = arange(0.0, 3.0, float32) + 1.0f;  // 1 2 3
  const array wide = broadcast_to(row, {4, 3});
  EXPECT_EQ(values<float>(sum(wide, 0)), (std::vector<float>{4, 8, 12}));
  EXPECT_EQ(values<float>(sum(wide, 1)), std::vector<float>(4, 6.0f));
  EXPECT_EQ(sum(wide).item<float>(), 24.0f);
  EXPECT_EQ(values<float>(prod(wide, 0)), (std::vector<float>{1, 16, 81}));
  EXPECT_EQ(mean(wide).item<float>(), 2.0f);
  EXPECT_EQ(max(wide).item<float>(), 3.0f);
  EXPECT_EQ(argmax(wide, 0).data<std::uint32_t>()[2], 0u);
  EXPECT_EQ(values<float>(sum(expand_dims(wide, 0), std::vector<int>{0, 1})),
            (std::vector<float>{4, 8, 12}));
  EXPECT_EQ(sum(astype(wide, int32)).item<std::int32_t>(), 24);
  EXPECT_EQ(sum(broadcast_to(array(true), {3, 5})).item<std::int32_t>(), 15);
  EXPECT_EQ(sum(broadcast_to(array({true, false}), {0, 2}), 0).data<std::int32_t>()[0], 0);
}

TEST(Broadcasting, CastsOfRepeatedElementsTakeNoMoreMemory) {
  const array base = astype(array({0, 1, 2, 3}), uint8);
  const array wide = broadcast_to(base, {ShapeElem{1} << 30, 4});
  EXPECT_EQ(wide.size(), 4294967296);
  EXPECT_EQ(sum(astype(wide, int64)).item<std::int64_t>(), 6442450944);
  EXPECT_EQ(max(wide).item<std::uint8_t>(), 3);
  EXPECT_TRUE(any(wide).item<bool>());
  EXPECT_FALSE(all(wide).item<bool>());
}

// --- Huge shapes ---

TEST(HugeShapes, PastTwoToThe63BytesAreRefused) {
  const ShapeElem huge = ShapeElem{1} << 61;
  EXPECT_REFUSED(zeros({huge, 2}), "2^63");
  EXPECT_REFUSED(zeros({huge, huge}), "2^63");
  EXPECT_REFUSED(ones({huge}, int64), "2^63");
  EXPECT_REFUSED(broadcast_to(array(1.0f), {huge, 1, 1, 4}), "2^63");
  EXPECT_REFUSED(HostTensor({huge, 2}, float32), "2^63");
  // As bytes it fits: legal as long as nobody asks for the memory.
  const array view = zeros({huge, 2}, uint8);
  EXPECT_EQ(view.size(), ShapeElem{1} << 62);
  EXPECT_REFUSED(astype(view, float32), "2^63");
  EXPECT_REFUSED(concatenate({view, view, view}), "2^63");
  EXPECT_REFUSED((view + view).eval(), "bytes");
  EXPECT_REFUSED(matmul(zeros({huge, 1}, float16), zeros({1, 8}, float16)), "2^63");
  EXPECT_REFUSED(argmax(zeros({ShapeElem{1} << 33}, uint8)), "uint32");
}

// Bytes the system could give now, 0 when it does not say.
std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  std::uint64_t kibibytes = 0;
  while (in >> word) {
    if (word == "MemAvailable:" && in >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

TEST(HugeShapes, MoreThanTwoToThe31ElementsAreCountedRight) {
  const ShapeElem count = (ShapeElem{1} << 31) + 16;
  constexpr std::uint64_t kNeeded = std::uint64_t{5} << 30;
  if (available_memory() < 2 * kNeeded) GTEST_SKIP() << "needs 10 GiB of free memory";
  array x = slice_update(ones({count}, uint8), array(2, uint8), {count - 1}, {count});
  EXPECT_EQ(sum(x).item<std::uint32_t>(), 2147483665u);
  EXPECT_EQ(argmax(x).item<std::uint32_t>(), 2147483663u);
  EXPECT_EQ(slice(x, {-1}, {count}).item<std::uint8_t>(), 2);
}

TEST(HugeShapes, PartsOfMoreThanTwoToThe31ElementsAddRight) {
  constexpr std::uint64_t kNeeded = std::uint64_t{5} << 30;
  if (available_memory() < 2 * kNeeded) GTEST_SKIP() << "needs 10 GiB of free memory";
  // y[i, j] = (i + j) mod 251: every row is one pattern, begun at another place.
  const Shape shape{65537, 32770};
  std::vector<std::uint8_t> pattern(static_cast<std::size_t>(shape[1]) + 251);
  for (std::size_t k = 0; k < pattern.size(); ++k) pattern[k] = static_cast<std::uint8_t>(k % 251);
  HostTensor host(shape, uint8);
  for (ShapeElem i = 0; i < shape[0]; ++i) {
    std::memcpy(host.mutable_data() + i * shape[1], pattern.data() + i % 251,
                static_cast<std::size_t>(shape[1]));
  }
  const std::vector<array> parts = split(array(std::move(host)), 2, 1);
  const array out = parts[0] + parts[1];
  EXPECT_EQ(out.shape(), (Shape{65537, 16385}));
  const array last_row = slice(out, {65536, 0}, {65537, 16385});
  EXPECT_EQ(values<std::uint8_t>(last_row)[0], 120);
  EXPECT_EQ(values<std::uint8_t>(last_row)[16384], 2);
}

// --- Bounds ---

TEST(Slices, ReadBoundsAsNumpyDoes) {
  const array a = arange(0, 5);
  const auto cut = [&](ShapeElem start, ShapeElem stop, ShapeElem stride) {
    return values<int>(slice(a, {start}, {stop}, {stride}));
  };
  EXPECT_EQ(cut(-2, 5, 1), (std::vector<int>{3, 4}));
  EXPECT_EQ(cut(4, -6, -1), (std::vector<int>{4, 3, 2, 1, 0}));
  EXPECT_EQ(cut(99, -99, -2), (std::vector<int>{4, 2, 0}));
  EXPECT_EQ(cut(-99, 99, 3), (std::vector<int>{0, 3}));
  EXPECT_EQ(cut(3, 1, 1), std::vector<int>{});
  EXPECT_EQ(cut(1, 3, -1), std::vector<int>{});
  EXPECT_EQ(cut(0, 5, INT64_MAX), (std::vector<int>{0}));
  EXPECT_EQ(cut(4, -99, INT64_MIN), (std::vector<int>{4}));
  EXPECT_EQ(cut(INT64_MIN, INT64_MAX, 4), (std::vector<int>{0, 4}));
  EXPECT_REFUSED(cut(0, 5, 0), "stride 0");
  EXPECT_REFUSED(slice(a, {0, 0}, {1, 1}), "1 axes");
  EXPECT_REFUSED(slice_update(a, array({1, 2}), {0}, {3}), "[3]");
}

TEST(Shapes, RefuseBadAxesByName) {
  const array a = zeros({2, 3});
  EXPECT_REFUSED(sum(a, std::vector<int>{0, -2}), "twice");
  EXPECT_REFUSED(softmax(a, std::vector<int>{1, 1}), "twice");
  EXPECT_REFUSED(logsumexp(a, std::vector<int>{0, 0}), "twice");
  EXPECT_REFUSED(softmax(a, 2), "axis 2");
  EXPECT_REFUSED(transpose(a, {0, 0}), "twice");
  EXPECT_REFUSED(transpose(a, {0}), "1 axes");
  EXPECT_REFUSED(expand_dims(a, 4), "axis 4");
  EXPECT_REFUSED(squeeze(a, 0), "size 1");
  EXPECT_REFUSED(split(a, 2, 1), "2 equal parts");
  EXPECT_REFUSED(split(a, 0, 1), "0 equal parts");
  EXPECT_REFUSED(concatenate({}), "no arrays");
  EXPECT_REFUSED(concatenate({array(1), array(2)}), "rank 0");
  EXPECT_REFUSED(stack({zeros({2}), zeros({3})}), "does not join");
  EXPECT_REFUSED(pad(a, {{1, 1}}), "1 widths");
  EXPECT_REFUSED(pad(a, {{0, 0}, {-1, 0}}), "negative");
  EXPECT_REFUSED(pad(a, {{0, 0}, {1, 0}}, array(0.0f), "mirror"), "mirror");
  EXPECT_REFUSED(pad(zeros({0}), {{1, 0}}, array(0.0f), "edge"), "edge");
  EXPECT_REFUSED(cumsum(a, 2), "axis 2");
  EXPECT_REFUSED(take(array(1.0f), array(0), 0), "rank 0");
  EXPECT_REFUSED(take(a, array(0.0f), 0), "integers");
  EXPECT_REFUSED(take_along_axis(a, zeros({2}, int32), 0), "rank");
  EXPECT_REFUSED(take_along_axis(a, zeros({3, 3}, int32), 1), "take_along_axis");
  EXPECT_REFUSED(arange(0.0, 1.0, 0.0, float32), "arange");
  EXPECT_REFUSED(arange(0.0, INFINITY, 1.0, float32), "arange");
  EXPECT_REFUSED(negative(array(true)), "logical_not");
  EXPECT_REFUSED(floor(array(complex64_t(1, 2))), "complex");
}

TEST(TakeAlongAxis, BroadcastsOffTheAxis) {
  const array a = reshape(arange(0, 12), {3, 4});
  EXPECT_EQ(values<int>(take_along_axis(a, array({3, -4}, {1, 2}), 1)),
            (std::vector<int>{3, 0, 7, 4, 11, 8}));
  EXPECT_EQ(values<int>(take_along_axis(array({5, 6, 7}, {1, 3}), array({2, 0}, {2, 1}), 1)),
            (std::vector<int>{7, 5}));
}

TEST(Pad, RepeatsEdges) {
  const array a = reshape(arange(0, 4), {2, 2});
  EXPECT_EQ(values<int>(pad(a, {{1, 0}, {0, 2}}, array(0), "edge")),
            (std::vector<int>{0, 1, 1, 1, 0, 1, 1, 1, 2, 3, 3, 3}));
}

TEST(Casts, KeepTheLowBitsOfIntegersAndOfFloatsThatFit64) {
  EXPECT_EQ(astype(array(-5.5f), uint8).item<std::uint8_t>(), 251);
  EXPECT_EQ(astype(array(300.0f), uint8).item<std::uint8_t>(), 44);
  EXPECT_EQ(astype(array(0x1.8p63f), uint64).item<std::uint64_t>(), 0xC000000000000000u);
  EXPECT_EQ(astype(array(NAN), int32).item<std::int32_t>(), 0);
  EXPECT_EQ(astype(array(INFINITY), int64).item<std::int64_t>(), 0);
  EXPECT_EQ(astype(array(-1e30f), int32).item<std::int32_t>(), 0);
  EXPECT_TRUE(astype(array(NAN), bool_).item<bool>());
  EXPECT_EQ(arange(250.0, 260.0, uint8).data<std::uint8_t>()[9], 3);
}

}  // namespace
}  // namespace tessera

// Linear and Embedding: packed weights against the same weights expanded.
#include "tessera/nn/linear.h"

#include <gtest/gtest.h>

#include <random>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::nn {
namespace {

using testing::max_difference;

constexpr QuantType kTypes[] = {QuantType::q4_0, QuantType::q4_1, QuantType::q5_0, QuantType::q5_1,
                                QuantType::q8_0, QuantType::q2_k, QuantType::q3_k, QuantType::q4_k,
                                QuantType::q5_k, QuantType::q6_k};

// Random blocks; the halves that scale them are made small numbers, wherever the format has them.
HostTensor random_blocks(QuantType type, std::int64_t rows, std::int64_t columns, int seed) {
  const std::int64_t bytes = row_bytes(type, columns);
  HostTensor t(Shape{rows, bytes}, uint8);
  std::mt19937 random(seed);
  std::byte* data = t.mutable_data();
  for (std::int64_t i = 0; i < rows * bytes; ++i) data[i] = static_cast<std::byte>(random());
  const int block = block_bytes(type);
  std::vector<int> scales{0};
  switch (type) {
    case QuantType::q4_1:
    case QuantType::q5_1:
    case QuantType::q4_k:
    case QuantType::q5_k: scales = {0, 2}; break;
    case QuantType::q2_k: scales = {80, 82}; break;
    case QuantType::q3_k: scales = {108}; break;
    case QuantType::q6_k: scales = {208}; break;
    default: break;
  }
  for (std::int64_t at = 0; at < rows * bytes; at += block) {
    for (const int offset : scales) {
      const float16_t scale(0.001f + 0.0001f * static_cast<float>(random() % 16));
      std::memcpy(data + at + offset, &scale.bits, 2);
    }
  }
  return t;
}

array normal(const Shape& shape, int seed, Dtype dtype = float32) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw;
  std::vector<float> v(num_elements(shape));
  for (float& x : v) x = draw(random);
  return astype(array(std::span<const float>(v), shape), dtype);
}

class PackedLayers : public ::testing::TestWithParam<QuantType> {
 protected:
  Weight packed(std::int64_t rows, std::int64_t columns) const {
    return Weight(array(random_blocks(GetParam(), rows, columns, 11)), GetParam(), {rows, columns});
  }
};

float largest(const array& a) {
  return max(abs(a)).item<float>();
}

TEST_P(PackedLayers, LinearEqualsTheExpandedWeights) {
  for (const std::int64_t blocks : {1, 3, 8}) {
    const std::int64_t columns = blocks * block_size(GetParam());
    const Weight w = packed(7, columns);
    const array bias = normal({7}, 2);
    const array dense = w.dense();
    for (const Shape& lead : {Shape{1}, Shape{2, 3}, Shape{33}, Shape{}, Shape{0}}) {
      Shape shape = lead;
      shape.push_back(columns);
      const array x = normal(shape, 3);
      const array want = linear(x, dense, bias);
      const array got = Linear(w, bias)(x);
      EXPECT_EQ(got.shape(), want.shape());
      EXPECT_LE(max_difference(got, want.to_host()),
                2e-6f * (want.size() == 0 ? 0 : largest(want) + largest(x)))
          << to_string(GetParam()) << " K " << columns << " x " << to_string(shape);
      const LoweredScope lowered;
      EXPECT_LE(max_difference(Linear(w, bias)(x), want.to_host()),
                2e-6f * (want.size() == 0 ? 0 : largest(want) + largest(x)));
    }
  }
}

TEST_P(PackedLayers, LinearKeepsTheActivationsDtype) {
  const std::int64_t columns = 2 * block_size(GetParam());
  const Weight w = packed(5, columns);
  for (const Dtype dtype : {float16, bfloat16}) {
    const array x = normal({3, columns}, 4, dtype);
    const array got = Linear(w)(x);
    EXPECT_EQ(got.dtype(), dtype);
    const array want = linear(astype(x, float32), w.dense());
    const float ulp = dtype == float16 ? 0x1p-10f : 0x1p-7f;
    EXPECT_LE(max_difference(astype(got, float32), want.to_host()), ulp * largest(want));
  }
}

TEST_P(PackedLayers, FastComputeIsNearThePreciseResult) {
  const std::int64_t columns = 4 * block_size(GetParam());
  Linear layer(packed(16, columns));
  const array x = normal({2, columns}, 5);
  const array precise = layer(x);
  precise.eval();
  layer.set_compute(QuantCompute::fast);
  // int8 activations: half a step of 1/127 of the largest activation, averaged over K products.
  EXPECT_LE(max_difference(layer(x), precise.to_host()), 0.03f * largest(precise) + 0.02f);
}

TEST_P(PackedLayers, EmbeddingGivesTheExpandedRows) {
  for (const std::int64_t blocks : {1, 3}) {
    const std::int64_t columns = blocks * block_size(GetParam());
    const Weight w = packed(9, columns);
    const Embedding table(w);
    const array ids({8, 0, 3, 3, 7, 1}, {2, 3});
    for (const Dtype dtype : {float32, float16, bfloat16}) {
      const array got = table(ids, dtype);
      EXPECT_EQ(got.dtype(), dtype);
      EXPECT_EQ(got.shape(), (Shape{2, 3, columns}));
      const array want = astype(embedding(ids, w.dense()), dtype);
      EXPECT_EQ(max_difference(astype(got, float32), astype(want, float32).to_host()), 0.0f);
      const LoweredScope lowered;
      EXPECT_EQ(max_difference(astype(table(ids, dtype), float32), astype(want, float32).to_host()),
                0.0f);
    }
    EXPECT_THROW(table(array({9}), float32).eval(), Error);
    const array x = normal({2, columns}, 6);
    // The sums of a few packed rows are rounded in another order than those of a dense matrix.
    const array magnitude = max(linear(abs(x), abs(w.dense())));
    EXPECT_LE(max_difference(table.as_linear(x), linear(x, w.dense()).to_host()),
              1e-6f * magnitude.item<float>());
  }
}

TEST_P(PackedLayers, RefuseRowsThatDoNotFit) {
  const std::int64_t columns = 2 * block_size(GetParam());
  const Linear layer(packed(4, columns));
  EXPECT_THROW(layer(zeros({2, columns - 1})), Error);
  EXPECT_THROW(layer(zeros({2, columns / 2})), Error);
  EXPECT_THROW(layer(zeros({2, columns}, int32)), Error);
  EXPECT_THROW(Linear(packed(4, columns), zeros({5}))(zeros({2, columns})), Error);
}

INSTANTIATE_TEST_SUITE_P(, PackedLayers, ::testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(Linear, DenseWeightsOfAnyFloatKeepTheActivationsDtype) {
  const array w = normal({5, 6}, 1);
  for (const Dtype weights : {float32, float16, bfloat16}) {
    for (const Dtype activations : {float32, float16, bfloat16}) {
      const array x = normal({2, 6}, 2, activations);
      const array got = Linear(Weight(astype(w, weights)))(x);
      EXPECT_EQ(got.dtype(), activations);
      const array want = matmul(astype(x, float32), transpose(astype(astype(w, weights), float32)));
      const float ulp = activations == bfloat16  ? 0x1p-7f
                        : activations == float16 ? 0x1p-10f
                                                 : 1e-6f;
      EXPECT_LE(max_difference(astype(got, float32), want.to_host()), ulp * largest(want));
    }
  }
}

TEST(Linear, NamesItsParameters) {
  const Linear layer(Weight(zeros({3, 4})), zeros({3}));
  std::vector<std::string> names;
  layer.for_each_parameter("layers.0.q_proj.", [&](const std::string& name, const Weight& w) {
    names.push_back(name + " " + to_string(w.shape));
  });
  EXPECT_EQ(names, (std::vector<std::string>{"layers.0.q_proj.weight [3, 4]",
                                             "layers.0.q_proj.bias [3]"}));
  EXPECT_THROW(Linear(Weight(zeros({3}))), Error);
}

TEST(Embedding, DenseRowsComeInTheDtypeAskedFor) {
  const Embedding table(Weight(reshape(arange(0.0, 12.0, float32), {4, 3})));
  const array got = table(array({3, 0}), float16);
  EXPECT_EQ(got.dtype(), float16);
  EXPECT_EQ(float(got.to_host().values<float16_t>()[0]), 9.0f);
  EXPECT_THROW(table(array({4}), float32).eval(), Error);
  EXPECT_THROW(table(array({1.0f}), float32), Error);
}

}  // namespace
}  // namespace tessera::nn

#include "tessera/core/quant_type.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tessera/core/error.h"

namespace tessera {
namespace {

constexpr QuantType kAll[] = {QuantType::q4_0, QuantType::q4_1, QuantType::q5_0, QuantType::q5_1,
                              QuantType::q8_0, QuantType::q2_k, QuantType::q3_k, QuantType::q4_k,
                              QuantType::q5_k, QuantType::q6_k};

/// Golden blocks and values, read without the library's own safetensors reader.
class Golden {
 public:
  Golden() {
    std::ifstream file(TESSERA_GOLDENS "/quant_blocks.safetensors", std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    std::uint64_t header_size = 0;
    std::memcpy(&header_size, all.data(), sizeof(header_size));
    header_ = nlohmann::json::parse(all.substr(8, header_size));
    data_ = all.substr(8 + header_size);
  }

  template <class T>
  std::vector<T> read(const std::string& name) const {
    const auto offsets = header_.at(name).at("data_offsets").get<std::vector<std::size_t>>();
    std::vector<T> values((offsets.at(1) - offsets.at(0)) / sizeof(T));
    std::memcpy(values.data(), data_.data() + offsets[0], values.size() * sizeof(T));
    return values;
  }

 private:
  nlohmann::json header_;
  std::string data_;
};

class QuantTypes : public testing::TestWithParam<QuantType> {};

TEST_P(QuantTypes, DequantizeAsGgufDoes) {
  const std::string name(to_string(GetParam()));
  const Golden golden;
  const auto blocks = golden.read<std::byte>(name + ".blocks");
  const auto expected = golden.read<float>(name + ".values");
  const auto k = static_cast<std::int64_t>(expected.size());
  ASSERT_GT(k, 0);
  ASSERT_EQ(row_bytes(GetParam(), k), static_cast<std::int64_t>(blocks.size()));

  std::vector<float> out(expected.size() + 1, -12345.0f);
  dequantize_row(GetParam(), blocks.data(), out.data(), k);
  EXPECT_EQ(out.back(), -12345.0f) << "wrote past the row";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(out[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(expected[i]))
          << i << ": " << out[i] << " against " << expected[i];
    }
  }
}

TEST_P(QuantTypes, RowsOfPartBlocksAreRefused) {
  EXPECT_EQ(row_bytes(GetParam(), 0), 0);
  EXPECT_EQ(row_bytes(GetParam(), 3 * block_size(GetParam())), 3 * block_bytes(GetParam()));
  for (std::int64_t k : {std::int64_t{1}, std::int64_t{block_size(GetParam()) - 1},
                         std::int64_t{block_size(GetParam()) + 16}, std::int64_t{-256}}) {
    try {
      row_bytes(GetParam(), k);
      FAIL() << k;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::shape_mismatch);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuantTypes, testing::ValuesIn(kAll),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(QuantType, ARowPastSixtyThreeBitsIsRefused) {
  const std::int64_t k = INT64_MAX / 32 * 32;
  EXPECT_THROW(row_bytes(QuantType::q8_0, k), Error);  // 34 bytes per 32 weights
  EXPECT_EQ(row_bytes(QuantType::q4_0, 1LL << 40), (18LL << 40) / 32);
}

}  // namespace
}  // namespace tessera

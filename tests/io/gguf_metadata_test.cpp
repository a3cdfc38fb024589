#include <gtest/gtest.h>

#include "tessera/io/gguf.h"
#include "tests/io/file_builder.h"
#include "tests/io/limited_memory.h"

namespace tessera {
namespace {

GgufFile parse(const std::vector<std::string>& pairs) {
  const std::string file = GgufBuilder{.pairs = pairs}.build();
  return parse_gguf(share(file), file.size(), "test.gguf");
}

void expect_refused(const std::vector<std::string>& pairs, const std::vector<std::string>& parts) {
  expect_error([&] { parse(pairs); }, ErrorCode::bad_format, parts);
}

std::string array(std::uint32_t type, std::uint64_t count, const std::string& elements) {
  return bytes_of(type, count) + elements;
}

TEST(GgufMetadata, ScalarsOfEveryTypeWiden) {
  const GgufFile file =
      parse({gguf_pair("u8", 0, bytes_of(std::uint8_t{200})),
             gguf_pair("i8", 1, bytes_of(std::int8_t{-100})),
             gguf_pair("u16", 2, bytes_of(std::uint16_t{60000})),
             gguf_pair("i16", 3, bytes_of(std::int16_t{-30000})),
             gguf_pair("u32", 4, bytes_of(std::uint32_t{4000000000})),
             gguf_pair("i32", 5, bytes_of(std::int32_t{-2000000000})),
             gguf_pair("f32", 6, bytes_of(0.1f)), gguf_pair("yes", 7, bytes_of(std::uint8_t{1})),
             gguf_pair("no", 7, bytes_of(std::uint8_t{0})),
             gguf_pair("text", 8, gguf_string(std::string("a\0b", 3))),
             gguf_pair("u64", 10, bytes_of(UINT64_MAX)), gguf_pair("i64", 11, bytes_of(INT64_MIN)),
             gguf_pair("f64", 12, bytes_of(0.1))});
  EXPECT_EQ(file.get_uint("u8"), 200u);
  EXPECT_EQ(file.get_int("i8"), -100);
  EXPECT_EQ(file.get_uint("u16"), 60000u);
  EXPECT_EQ(file.get_int("i16"), -30000);
  EXPECT_EQ(file.get_uint("u32"), 4000000000u);
  EXPECT_EQ(file.get_int("u32"), 4000000000);
  EXPECT_EQ(file.get_int("i32"), -2000000000);
  EXPECT_EQ(file.get_float("f32"), double{0.1f});
  EXPECT_EQ(file.get_bool("yes"), true);
  EXPECT_EQ(file.get_bool("no"), false);
  EXPECT_EQ(file.get_string("text"), std::string("a\0b", 3));
  EXPECT_EQ(file.get_uint("u64"), UINT64_MAX);
  EXPECT_EQ(file.get_int("i64"), INT64_MIN);
  EXPECT_EQ(file.get_float("f64"), 0.1);
}

TEST(GgufMetadata, ArraysOfEveryTypeWiden) {
  const GgufFile file = parse(
      {gguf_pair("u8", 9, array(0, 2, bytes_of(std::uint8_t{1}, std::uint8_t{255}))),
       gguf_pair("i32", 9, array(5, 2, bytes_of(std::int32_t{-1}, std::int32_t{7}))),
       gguf_pair("u64", 9, array(10, 1, bytes_of(UINT64_MAX))),
       gguf_pair("f32", 9, array(6, 2, bytes_of(0.5f, -1000.0f))),
       gguf_pair("f64", 9, array(12, 1, bytes_of(0.1))),
       gguf_pair("bool", 9, array(7, 3, std::string("\1\0\1", 3))),
       gguf_pair("text", 9, array(8, 3, gguf_string("a") + gguf_string("") + gguf_string("bc"))),
       gguf_pair("none", 9, array(8, 0, ""))});
  EXPECT_EQ(file.get_ints("u8"), std::vector<std::int64_t>({1, 255}));
  EXPECT_EQ(file.get_ints("i32"), std::vector<std::int64_t>({-1, 7}));
  EXPECT_EQ(*file.get_floats("f32"), std::vector<double>({0.5, -1000.0}));
  EXPECT_EQ(*file.get_floats("f64"), std::vector<double>({0.1}));
  EXPECT_EQ(*file.get_bools("bool"), std::vector<bool>({true, false, true}));
  EXPECT_EQ(*file.get_strings("text"), std::vector<std::string>({"a", "", "bc"}));
  EXPECT_TRUE(file.get_strings("none")->empty());
  EXPECT_EQ(file.get_array("text")->size(), 3u);
  expect_error([&] { file.get_ints("u64"); }, ErrorCode::bad_format, {"\"u64\"", "past 2^63 - 1"});
}

TEST(GgufMetadata, NestedArraysKeepTheirStructure) {
  const std::string inner =
      array(4, 2, bytes_of(std::uint32_t{1}, std::uint32_t{2})) + array(8, 1, gguf_string("x"));
  const GgufFile file = parse({gguf_pair("nested", 9, array(9, 2, inner))});
  const auto& outer = std::get<std::vector<GgufArray>>(file.get_array("nested")->elements);
  ASSERT_EQ(outer.size(), 2u);
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(outer[0].elements),
            std::vector<std::uint64_t>({1, 2}));
  EXPECT_EQ(std::get<std::vector<std::string>>(outer[1].elements), std::vector<std::string>({"x"}));
}

TEST(GgufMetadata, NestingIsBounded) {
  const auto nested = [](int depth) {
    std::string value;
    for (int i = 1; i < depth; ++i) value += bytes_of(std::uint32_t{9}, std::uint64_t{1});
    return gguf_pair("deep", 9, value + array(0, 0, ""));
  };
  EXPECT_NE(parse({nested(8)}).get_array("deep"), nullptr);
  expect_refused({nested(9)}, {"\"deep\"", "8 deep"});
  expect_refused({nested(1'000'000)}, {"\"deep\"", "8 deep"});
}

TEST(GgufMetadata, AbsentKeysAreNull) {
  const GgufFile file = parse({});
  EXPECT_EQ(file.get_uint("x"), std::nullopt);
  EXPECT_EQ(file.get_int("x"), std::nullopt);
  EXPECT_EQ(file.get_float("x"), std::nullopt);
  EXPECT_EQ(file.get_bool("x"), std::nullopt);
  EXPECT_EQ(file.get_string("x"), std::nullopt);
  EXPECT_EQ(file.get_ints("x"), std::nullopt);
  EXPECT_EQ(file.get_array("x"), nullptr);
  EXPECT_EQ(file.get_strings("x"), nullptr);
  EXPECT_EQ(file.get_floats("x"), nullptr);
  EXPECT_EQ(file.get_bools("x"), nullptr);
}

TEST(GgufMetadata, AnotherTypeThanAskedIsAnError) {
  const GgufFile file = parse(
      {gguf_pair("text", 8, gguf_string("x")), gguf_pair("minus", 5, bytes_of(std::int32_t{-1})),
       gguf_pair("big", 10, bytes_of(UINT64_MAX)), gguf_pair("ints", 9, array(4, 0, ""))});
  const auto refused = [](auto get, const std::vector<std::string>& parts) {
    expect_error(get, ErrorCode::bad_format, parts);
  };
  refused([&] { file.get_uint("text"); }, {"\"text\"", "an integer", "is a string"});
  refused([&] { file.get_uint("minus"); }, {"\"minus\"", "at least 0", "a signed integer"});
  refused([&] { file.get_int("big"); }, {"\"big\"", "below 2^63"});
  refused([&] { file.get_float("minus"); }, {"a float", "a signed integer"});
  refused([&] { file.get_bool("text"); }, {"a bool"});
  refused([&] { file.get_string("big"); }, {"a string", "an unsigned integer"});
  refused([&] { file.get_array("text"); }, {"an array", "a string"});
  refused([&] { file.get_strings("ints"); }, {"strings", "an array of unsigned integers"});
  refused([&] { file.get_floats("ints"); }, {"an array of floats"});
  refused([&] { file.get_bools("text"); }, {"an array", "a string"});
  EXPECT_TRUE(file.get_ints("ints")->empty());
}

TEST(GgufMetadata, FaultsNameTheKey) {
  const std::string value = bytes_of(std::uint32_t{1});
  expect_refused({gguf_pair("k", 4, value), gguf_pair("k", 4, value)}, {"\"k\" appears twice"});
  expect_refused({gguf_pair("k", 13, value)}, {"\"k\"", "unknown value type 13"});
  expect_refused({gguf_pair("k", 9, array(99, 1, value))}, {"\"k\"", "unknown value type 99"});
  expect_refused({gguf_pair("k", 7, "\x02")}, {"\"k\"", "bool with the value 2"});
  expect_refused({gguf_pair("k", 9, array(7, 1, "\x02"))}, {"\"k\"", "bool with the value 2"});
  expect_refused({gguf_pair(std::string(65536, 'k'), 4, value)}, {"key 1 of 1", "65536 bytes"});
  expect_refused({gguf_pair("k", 8, bytes_of(std::uint64_t{1000}))},
                 {"file ends at byte", "\"k\" needs up to"});
}

TEST(GgufMetadataDeathTest, LongArraysThatAreNotThereCostNoMemory) {
  for (const std::uint32_t type : {0u, 4u, 6u, 7u, 8u, 9u, 10u, 12u}) {
    for (const std::uint64_t count : {std::uint64_t{1} << 30, std::uint64_t{1} << 61, UINT64_MAX}) {
      SCOPED_TRACE(testing::Message() << "type " << type << " count " << count);
      const auto pair = gguf_pair("k", 9, array(type, count, ""));
      EXPECT_EXIT(run_within_10_mb([&] { parse({pair}); }), testing::ExitedWithCode(0), "\"k\"");
    }
  }
}

}  // namespace
}  // namespace tessera

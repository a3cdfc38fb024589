#include "tessera/io/safetensors.h"

#include <gtest/gtest.h>

#include "tests/io/file_builder.h"
#include "tests/io/limited_memory.h"

namespace tessera {
namespace {

SafetensorsFile parse(const std::string& file) {
  return parse_safetensors(share(file), file.size(), "test.safetensors");
}

void expect_refused(const std::string& file, const std::vector<std::string>& parts) {
  expect_error([&] { parse(file); }, ErrorCode::bad_format, parts);
}

std::vector<float> floats(const HostTensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

struct Lie {
  const char* name;
  std::string file;
  std::vector<std::string> message;
};

std::vector<Lie> lies() {
  return {
      {"shape_lies",
       safetensors(object({entry("t", "[1000,1000]", 0, 4)}), bytes_of(1.0f)),
       {"\"t\"", "needs 4000000 bytes", "cover 4"}},
      {"shape_wraps",
       safetensors(object({entry("t", "[4294967296,4294967296]", 0, 0)})),
       {"\"t\"", "more than 2^63 - 1", "cover 0 bytes"}},
      {"reversed",
       safetensors(object({entry("t", "[1]", 4, 0)}), bytes_of(1.0f)),
       {"\"t\"", "reversed data_offsets 4 to 0"}},
      {"past_end",
       safetensors(object({entry("t", "[2]", 0, 8)}), bytes_of(1.0f)),
       {"file ends at byte 66, tensor \"t\" needs up to 70"}},
      {"one_with_no_bytes",
       safetensors(object({entry("t", "[1]", 0, 0)})),
       {"\"t\"", "needs 4 bytes", "cover 0"}},
      {"hdr_len_huge",
       bytes_of(std::uint64_t{1} << 63) + "{}",
       {"header of 9223372036854775808 bytes", "file of 10"}},
      {"hdr_len_past",
       bytes_of(std::uint64_t{100}) + "{}",
       {"file ends at byte 10, the header needs up to 108"}},
      {"not_object", safetensors("[1,2]"), {"not a JSON object"}},
  };
}

TEST(Safetensors, RefusesLiesNamingTensorAndBytes) {
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    expect_refused(lie.file, lie.message);
  }
}

TEST(SafetensorsDeathTest, LiesCostNoMemory) {
  const TempFolder folder;
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    const auto path = folder.write("lie.safetensors", lie.file);
    EXPECT_EXIT(run_within_10_mb([&] { load_safetensors(path); }), testing::ExitedWithCode(0), "");
  }
}

TEST(Safetensors, AcceptsZeroSizesAndEmptyMetadataFromFileAndMemory) {
  const std::string zero = safetensors(
      object({entry("e", "[0]", 0, 0), entry("m", "[2,0]", 0, 0), entry("w", "[1]", 0, 4)}),
      bytes_of(7.0f));
  const std::string empty_metadata =
      safetensors(object({R"("__metadata__":{})", entry("w", "[1]", 0, 4)}), bytes_of(7.0f));
  ASSERT_EQ(zero.size(), 174u);
  ASSERT_EQ(empty_metadata.size(), 84u);
  const TempFolder folder;
  const auto zero_path = folder.write("zero.safetensors", zero);
  for (const SafetensorsFile& file : {parse(zero), load_safetensors(zero_path),
                                      parse_safetensors(std::as_bytes(std::span(zero)), "span")}) {
    EXPECT_EQ(file.tensor("e").shape(), Shape({0}));
    EXPECT_EQ(file.tensor("m").shape(), Shape({2, 0}));
    EXPECT_EQ(floats(file.tensor("w")), std::vector<float>({7}));
  }
  const auto metadata_path = folder.write("metadata.safetensors", empty_metadata);
  for (const SafetensorsFile& file : {parse(empty_metadata), load_safetensors(metadata_path)}) {
    EXPECT_EQ(file.tensors.size(), 1u);
    EXPECT_TRUE(file.metadata.empty());
    EXPECT_EQ(floats(file.tensor("w")), std::vector<float>({7}));
  }
}

TEST(Safetensors, TruncatedFilesNameWhatIsMissing) {
  const std::string whole =
      safetensors(object({R"("__metadata__":{})", entry("w", "[1]", 0, 4)}), bytes_of(7.0f));
  expect_refused(whole.substr(0, 0), {"file ends at byte 0, the header needs up to 8"});
  expect_refused(whole.substr(0, 7), {"file ends at byte 7, the header needs up to 8"});
  expect_refused(whole.substr(0, 40), {"file ends at byte 40, the header needs up to 80"});
  expect_refused(whole.substr(0, 83), {"file ends at byte 83, tensor \"w\" needs up to 84"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_refused(whole.substr(0, size), {"file ends at byte " + std::to_string(size)});
  }
  const TempFolder folder;
  const auto path = folder.write("cut.safetensors", whole.substr(0, 83));
  expect_error([&] { load_safetensors(path); }, ErrorCode::bad_format,
               {path.string(), "file ends at byte 83"});
}

TEST(Safetensors, AMissingTensorIsNotATruncatedFile) {
  const SafetensorsFile file =
      parse(safetensors(object({entry("w", "[1]", 0, 4)}), bytes_of(7.0f)));
  EXPECT_EQ(file.find("v"), nullptr);
  try {
    file.tensor("v");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::not_found);
    const std::string what = e.what();
    EXPECT_NE(what.find("missing tensor \"v\""), std::string::npos) << what;
    EXPECT_EQ(what.find("truncated"), std::string::npos);
    EXPECT_EQ(what.find("corrupt"), std::string::npos);
  }
}

TEST(Safetensors, DataMustBeCoveredWithoutHolesOrOverlaps) {
  const std::string two = bytes_of(1.0f, 2.0f);
  expect_refused(safetensors(object({entry("w", "[1]", 4, 8)}), two), {"\"w\"", "hole"});
  expect_refused(safetensors(object({entry("a", "[1]", 0, 4), entry("w", "[1]", 8, 12)}),
                             two + bytes_of(3.0f)),
                 {"\"w\"", "hole"});
  expect_refused(safetensors(object({entry("w", "[1]", 0, 4)}), two), {"8 bytes", "only 4"});
  expect_refused(
      safetensors(object({entry("a", "[1]", 0, 4), entry("w", "[1]", 0, 4)}), bytes_of(1.0f)),
      {"\"w\"", "overlaps"});
  expect_refused(safetensors(object({entry("a", "[2]", 0, 8), entry("z", "[0]", 4, 4)}), two),
                 {"\"z\"", "overlaps"});
  const SafetensorsFile file = parse(safetensors(
      object({entry("w", "[1]", 4, 8), entry("z", "[0]", 4, 4), entry("a", "[1]", 0, 4)}), two));
  EXPECT_EQ(floats(file.tensor("w")), std::vector<float>({2}));
  EXPECT_EQ(floats(file.tensor("a")), std::vector<float>({1}));
}

TEST(Safetensors, HeadersOutsideTheSchemaAreRefused) {
  const std::string data = bytes_of(7.0f);
  const std::string w = entry("w", "[1]", 0, 4);
  const auto tensor = [&](const std::string& fields) {
    return safetensors("{\"w\":" + fields + "}", data);
  };
  expect_refused(safetensors("", data), {"must begin with '{'"});
  expect_refused(safetensors(fmt::format(" {}", object({w})), data), {"must begin with '{'"});
  expect_refused(safetensors(object({w}).substr(0, w.size() + 1), data), {"not valid JSON"});
  expect_refused(safetensors(object({w}) + "x", data), {"not valid JSON"});
  expect_refused(safetensors(object({w}) + std::string(1, '\0'), data), {"not valid JSON"});
  expect_refused(safetensors("{\"\xff\":1}", data), {"not valid JSON"});
  expect_refused(safetensors(object({w, w}), data), {"\"w\"", "twice"});
  expect_refused(safetensors(object({R"("__metadata__":{"a":"1","a":"2"})", w}), data),
                 {"\"a\"", "twice"});
  expect_refused(safetensors(object({R"("__metadata__":{"a":1})", w}), data),
                 {"unexpected number in __metadata__"});
  expect_refused(safetensors(object({R"("__metadata__":[])", w}), data), {"unexpected array"});
  expect_refused(tensor(R"(["F32",[1],[0,4]])"), {"unexpected array", "\"w\""});
  expect_refused(tensor("null"), {"unexpected null", "\"w\""});
  expect_refused(tensor("{}"), {"\"w\" lacks its dtype"});
  expect_refused(tensor(R"({"dtype":"F32","data_offsets":[0,4]})"), {"\"w\" lacks its shape"});
  expect_refused(tensor(R"({"dtype":"F32","shape":[1]})"), {"\"w\" lacks its data_offsets"});
  expect_refused(tensor(R"({"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]})"),
                 {"shape appears twice"});
  expect_refused(tensor(R"({"dtype":"Q9","shape":[1],"data_offsets":[0,4]})"),
                 {"unknown dtype \"Q9\""});
  expect_refused(tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})"), {"1 data_offsets"});
  expect_refused(tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,4]})"),
                 {"3 data_offsets"});
  for (const char* size : {"-1", "1.0", "1e0", "\"1\"", "[1]", "{}", "null", "true",
                           "18446744073709551616", "1e999"}) {
    SCOPED_TRACE(size);
    expect_refused(safetensors(object({entry("w", fmt::format("[{}]", size), 0, 4)}), data),
                   {"test.safetensors"});
  }
  expect_refused(safetensors(object({entry("w", "1", 0, 4)}), data), {"field shape"});
  expect_refused(safetensors(object({entry("w", "[9223372036854775808,0]", 0, 0)})),
                 {"dimension of size 9223372036854775808"});
  std::string rank_65 = "[1";
  for (int i = 1; i < 65; ++i) rank_65 += ",1";
  expect_refused(safetensors(object({entry("w", rank_65 + "]", 0, 4)}), data),
                 {"more than 64 numbers"});
}

TEST(Safetensors, WhatTheReferenceAcceptsIsAccepted) {
  const std::string data = bytes_of(7.0f);
  const std::string w = entry("w", "[1]", 0, 4);
  EXPECT_TRUE(parse(safetensors("{}")).tensors.empty());
  EXPECT_EQ(parse(safetensors(object({w}) + "   ", data)).tensors.size(), 1u);
  EXPECT_EQ(parse(safetensors(object({R"("__metadata__":null)", w}), data)).tensors.size(), 1u);
  EXPECT_EQ(parse(safetensors(object({entry("s", "[]", 0, 4)}), data)).tensor("s").shape(),
            Shape());
  const SafetensorsFile extra = parse(safetensors(
      R"({"w":{"x":{"y":[[1,{}],null]},"dtype":"F32","z":-1.5,"shape":[1],"data_offsets":[0,4],)"
      R"("v":[]}})",
      data));
  EXPECT_EQ(floats(extra.tensor("w")), std::vector<float>({7}));
  const SafetensorsFile metadata = parse(
      safetensors(object({R"("__metadata__":{"format":"pt","\u00e9":"\ud83d\ude38"})", w}), data));
  EXPECT_EQ(metadata.metadata.at("format"), "pt");
  EXPECT_EQ(metadata.metadata.at("é"), "😸");
}

TEST(Safetensors, NestingCostsNoStack) {
  const std::string deep(1'000'000, '[');
  expect_refused(safetensors("{\"w\":{\"x\":" + deep + "}}"), {"not valid JSON"});
  expect_refused(safetensors("{\"w\":" + deep + "}"), {"unexpected array"});
}

TEST(Safetensors, MessagesStayShortAndPrintable) {
  const std::string name(1'000'000, 'n');
  try {
    parse(safetensors(object({entry(name, "[2]", 0, 4)}), bytes_of(7.0f)));
    FAIL();
  } catch (const Error& e) {
    EXPECT_LT(std::strlen(e.what()), 400u);
  }
  expect_refused(safetensors(object({entry("\\n\\u001b\xc3\xa9", "[2]", 0, 4)}), bytes_of(7.0f)),
                 {R"("\x0a\x1b\xc3\xa9")"});
}

TEST(Safetensors, ReadsEveryDtype) {
  struct Case {
    const char* name;
    Dtype dtype;
    const char* shape;
    Shape data_shape;
    std::uint64_t bytes;
  };
  const Case cases[] = {
      {"BOOL", bool_, "[1,3]", {1, 3}, 3},        {"U8", uint8, "[1,3]", {1, 3}, 3},
      {"I8", int8, "[1,3]", {1, 3}, 3},           {"U16", uint16, "[1,3]", {1, 3}, 6},
      {"I16", int16, "[1,3]", {1, 3}, 6},         {"F16", float16, "[1,3]", {1, 3}, 6},
      {"BF16", bfloat16, "[1,3]", {1, 3}, 6},     {"U32", uint32, "[1,3]", {1, 3}, 12},
      {"I32", int32, "[1,3]", {1, 3}, 12},        {"F32", float32, "[1,3]", {1, 3}, 12},
      {"U64", uint64, "[1,3]", {1, 3}, 24},       {"I64", int64, "[1,3]", {1, 3}, 24},
      {"F64", float64, "[1,3]", {1, 3}, 24},      {"C64", complex64, "[1,3]", {1, 3}, 24},
      {"F8_E4M3", uint8, "[1,3]", {1, 3}, 3},     {"F8_E5M2", uint8, "[1,3]", {1, 3}, 3},
      {"F8_E8M0", uint8, "[1,3]", {1, 3}, 3},     {"F8_E4M3FNUZ", uint8, "[1,3]", {1, 3}, 3},
      {"F8_E5M2FNUZ", uint8, "[1,3]", {1, 3}, 3}, {"F6_E2M3", uint8, "[2,4]", {6}, 6},
      {"F6_E3M2", uint8, "[2,4]", {6}, 6},        {"F4", uint8, "[2,3]", {3}, 3},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    std::string data;
    for (std::uint64_t i = 0; i < c.bytes; ++i) data += static_cast<char>(i % 2);
    const SafetensorsFile file =
        parse(safetensors(object({entry("w", c.shape, 0, c.bytes, c.name)}), data));
    const SafetensorsTensor* w = file.find("w");
    ASSERT_NE(w, nullptr);
    EXPECT_EQ(w->data.dtype(), c.dtype);
    EXPECT_EQ(w->data.shape(), c.data_shape);
    EXPECT_EQ(w->format_dtype, c.name);
    EXPECT_EQ(to_string(w->format_shape)[1], c.shape[1]);
    ASSERT_EQ(w->data.nbytes(), c.bytes);
    EXPECT_EQ(std::memcmp(w->data.data(), data.data(), c.bytes), 0);
  }
  expect_refused(safetensors(object({entry("w", "[3]", 0, 2, "F4")}), "ab"),
                 {"does not fill whole bytes"});
  expect_refused(safetensors(object({entry("w", "[1]", 0, 1, "F6_E2M3")}), "a"),
                 {"does not fill whole bytes"});
}

TEST(Safetensors, MisalignedDataIsCopiedAlignedDataIsShared) {
  const TempFolder folder;
  for (int padding = 0; padding < 8; ++padding) {
    const std::string header =
        object({entry("w", "[2]", 0, 16, "F64")}) + std::string(padding, ' ');
    const auto path = folder.write("w.safetensors", safetensors(header, bytes_of(1.5, -2.5)));
    const SafetensorsFile file = load_safetensors(path);
    const auto values = file.tensor("w").values<double>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 8, 0u);
    EXPECT_EQ(values[0], 1.5);
    EXPECT_EQ(values[1], -2.5);
  }
  const std::string file = safetensors(object({entry("w", "[4]", 0, 4, "U8")}), "abcd");
  const auto memory = share(file);
  const auto parsed = parse_safetensors(memory, file.size(), "shared");
  EXPECT_EQ(parsed.tensor("w").data(), memory.get() + file.size() - 4);
}

TEST(Safetensors, TensorsOutliveTheFileObject) {
  const TempFolder folder;
  const auto path = folder.write(
      "w.safetensors", safetensors(object({entry("w", "[1]", 0, 4)}) + "   ", bytes_of(7.0f)));
  const HostTensor w = load_safetensors(path).tensor("w");
  std::filesystem::remove(path);
  EXPECT_EQ(floats(w), std::vector<float>({7}));
}

}  // namespace
}  // namespace tessera

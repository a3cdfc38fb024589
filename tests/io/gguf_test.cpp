// Tensors of GGUF files: what is accepted, what is refused, and at which cost.
#include <gtest/gtest.h>

#include "tessera/io/gguf.h"
#include "tests/io/file_builder.h"
#include "tests/io/limited_memory.h"

namespace tessera {
namespace {

GgufFile parse(const std::string& file) {
  return parse_gguf(share(file), file.size(), "test.gguf");
}

void expect_refused(const std::string& file, const std::vector<std::string>& parts,
                    ErrorCode code = ErrorCode::bad_format) {
  expect_error([&] { parse(file); }, code, parts);
}

std::string build(const std::vector<std::string>& tensors, const std::string& data = "") {
  return GgufBuilder{.tensors = tensors, .data = data}.build();
}

std::string one(const std::string& name, const std::vector<std::uint64_t>& dims,
                const std::string& data, std::uint32_t type = 0, std::uint64_t offset = 0) {
  return build({GgufTensorEntry{name, dims, type, offset}.encode()}, data);
}

std::vector<float> floats(const GgufTensor& tensor) {
  const HostTensor host = to_host_tensor(tensor);
  const auto values = host.values<float>();
  return {values.begin(), values.end()};
}

struct Lie {
  const char* name;
  std::string file;
  std::vector<std::string> message;
};

std::vector<Lie> lies() {
  const GgufTensorEntry scalar{"w", {1}};
  const std::string word = bytes_of(1.0f);
  return {
      {"ndims9", one("w", std::vector<std::uint64_t>(9, 1), word), {"\"w\"", "9 dimensions"}},
      {"ndims_4G", build({scalar.encode(0xFFFFFFFF)}, word), {"\"w\"", "4294967295 dimensions"}},
      {"dims_wrap", one("w", {UINT64_MAX, 2}, word), {"\"w\"", "18446744073709551615"}},
      {"dims_wrap2", one("w", {1ULL << 32, 1ULL << 32}, word), {"\"w\"", "2^63 - 1 bytes"}},
      {"dup_names",
       build({scalar.encode(), GgufTensorEntry{"w", {1}, 0, 32}.encode()},
             word + std::string(28, '\0') + bytes_of(2.0f)),
       {"two tensors are named \"w\""}},
      {"n_tensors_huge",
       GgufBuilder{.claimed_tensors = 1ULL << 62}.build(),
       {"claims 4611686018427387904 tensors", "72 bytes are left"}},
      {"n_pairs_huge",
       GgufBuilder{.claimed_pairs = 1ULL << 62}.build(),
       {"claims 4611686018427387904 metadata pairs"}},
      {"dims_product_past_file",
       one("w", {1ULL << 40}, word),
       {"file ends at byte 132, tensor \"w\" needs up to 4398046511232"}},
      {"name_huge",
       build({bytes_of(1ULL << 40) + std::string(30, 'x')}),
       {"file ends at byte", "tensor 1 of 1 needs up to"}},
      {"offset_wraps", one("w", {1}, word, 0, UINT64_MAX - 31), {"\"w\"", "needs up to"}},
  };
}

TEST(Gguf, RefusesLiesNamingTheTensor) {
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    expect_refused(lie.file, lie.message);
  }
  expect_refused(one("w", {2}, bytes_of(1.0f, 2.0f), 999), {"\"w\"", "unknown type 999"});
}

TEST(GgufDeathTest, TheMemoryLimitOfTheseTestsBinds) {
  if (!kCanLimitMemory) GTEST_SKIP() << "sanitizers reserve terabytes of addresses";
  EXPECT_EXIT(run_within_10_mb([] { HostTensor({20'000'000}, uint8); }), testing::ExitedWithCode(1),
              "20000000 bytes");
}

TEST(GgufDeathTest, LiesCostNoMemory) {
  const TempFolder folder;
  for (const Lie& lie : lies()) {
    SCOPED_TRACE(lie.name);
    const auto path = folder.write("lie.gguf", lie.file);
    EXPECT_EXIT(run_within_10_mb([&] { load_gguf(path); }), testing::ExitedWithCode(0), "");
  }
}

TEST(Gguf, AcceptsTheSmallestFilesLongNamesAndEmptyTensors) {
  const std::string small = one("w", {2}, bytes_of(1.0f, 2.0f));
  ASSERT_EQ(small.size(), 136u);
  EXPECT_EQ(floats(parse(small).tensor("w")), std::vector<float>({1, 2}));
  EXPECT_EQ(parse(small).get_string("general.architecture"), "llama");

  const std::string name = std::string(63, 'n') + "x";
  EXPECT_EQ(floats(parse(one(name, {1}, bytes_of(5.0f))).tensor(name)), std::vector<float>({5}));

  const std::string empty = one("e", {0}, "");
  ASSERT_EQ(empty.size(), 128u);
  EXPECT_EQ(parse(empty).tensor("e").shape, Shape({0}));
  EXPECT_EQ(to_host_tensor(parse(empty).tensor("e")).size(), 0);

  const GgufFile scalar = parse(one("s", {}, bytes_of(3.0f)));
  EXPECT_EQ(scalar.tensor("s").shape, Shape());
  EXPECT_EQ(floats(scalar.tensor("s")), std::vector<float>({3}));

  EXPECT_TRUE(parse(GgufBuilder{.pairs = {}}.build()).tensors.empty());
  EXPECT_TRUE(parse(GgufBuilder{.pairs = {}}.build().substr(0, 24)).tensors.empty());
}

TEST(Gguf, TruncatedFilesNameWhatIsMissing) {
  const std::string whole = one("w", {2}, bytes_of(1.0f, 2.0f));
  expect_refused(whole.substr(0, 0), {"file ends at byte 0, the header needs up to 4"});
  expect_refused(whole.substr(0, 3), {"file ends at byte 3, the header needs up to 4"});
  expect_refused(whole.substr(0, 8), {"file ends at byte 8, the header needs up to 16"});
  expect_refused(whole.substr(0, 60),
                 {"file ends at byte 60, metadata key \"general.architecture\" needs up to 64"});
  expect_refused(whole.substr(0, 135), {"file ends at byte 135, tensor \"w\" needs up to 136"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_refused(whole.substr(0, size), {"test.gguf"});
  }
}

TEST(Gguf, AMissingTensorIsNotATruncatedFile) {
  const GgufFile file = parse(one("w", {1}, bytes_of(1.0f)));
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

TEST(Gguf, OtherFormatsAndVersionsAreNamed) {
  expect_refused("PK\x03\x04 and more", {"not a GGUF file", "50 4b 03 04"});
  std::string file = one("w", {1}, bytes_of(1.0f));
  const auto with_version = [&](std::uint32_t version) {
    std::string changed = file;
    std::memcpy(changed.data() + 4, &version, 4);
    return changed;
  };
  expect_refused(with_version(0x03000000), {"big-endian", "gguf-convert-endian"});
  expect_refused(with_version(1), {"GGUF version 1", "2 and 3"});
  expect_refused(with_version(4), {"GGUF version 4"});
  expect_refused(with_version(0), {"GGUF version 0"});
  EXPECT_EQ(parse(with_version(2)).version, 2u);
}

TEST(Gguf, TensorsMustBeAlignedInsideAndApart) {
  const std::string data(256, 'x');
  const auto two = [&](std::uint64_t first, std::uint64_t second) {
    return build({GgufTensorEntry{"a", {16}, 0, first}.encode(),
                  GgufTensorEntry{"b", {16}, 0, second}.encode()},
                 data);
  };
  expect_refused(two(0, 32), {"\"a\" and \"b\" overlap", "0 to 64 and 32 to 96"});
  expect_refused(two(64, 64), {"overlap"});
  expect_refused(two(0, 65), {"\"b\"", "65", "not a multiple of 32"});
  expect_refused(two(0, 256), {"file ends at byte", "\"b\""});
  EXPECT_EQ(parse(two(128, 0)).tensors.size(), 2u) << "order and gaps are the writer's choice";
}

TEST(Gguf, AlignmentIsAPowerOfTwo) {
  GgufBuilder builder{.tensors = {GgufTensorEntry{"a", {2}, 0, 0}.encode(),
                                  GgufTensorEntry{"b", {2}, 0, 64}.encode()},
                      .data = bytes_of(1.0f, 2.0f) + std::string(56, '\0') + bytes_of(3.0f, 4.0f)};
  const auto with = [&](std::uint32_t type, const std::string& value, std::size_t alignment) {
    GgufBuilder changed = builder;
    changed.pairs.push_back(gguf_pair("general.alignment", type, value));
    changed.alignment = alignment;
    return changed.build();
  };
  const GgufFile file = parse(with(4, bytes_of(std::uint32_t{64}), 64));
  EXPECT_EQ(floats(file.tensor("a")), std::vector<float>({1, 2}));
  EXPECT_EQ(floats(file.tensor("b")), std::vector<float>({3, 4}));
  EXPECT_EQ(floats(parse(with(4, bytes_of(std::uint32_t{8}), 8)).tensor("b")),
            std::vector<float>({3, 4}));
  for (const std::uint32_t alignment : {0u, 1u, 4u, 24u, 33u, 0xFFFFFFFFu}) {
    expect_refused(with(4, bytes_of(alignment), 32),
                   {"general.alignment is " + std::to_string(alignment)});
  }
  expect_refused(with(10, bytes_of(std::uint64_t{1} << 63), 32), {"general.alignment"});
  expect_refused(with(8, gguf_string("32"), 32), {"general.alignment", "is a string"});
}

TEST(Gguf, PlainDtypesKeepTheirBytes) {
  struct Case {
    std::uint32_t type;
    Dtype dtype;
  };
  for (const Case& c : {Case{0, float32}, Case{1, float16}, Case{24, int8}, Case{25, int16},
                        Case{26, int32}, Case{27, int64}, Case{28, float64}, Case{30, bfloat16}}) {
    std::string data;
    for (int i = 0; i < 6 * c.dtype.size(); ++i) data += static_cast<char>(i);
    const GgufFile file = parse(one("w", {3, 2}, data, c.type));
    const GgufTensor& w = file.tensor("w");
    EXPECT_EQ(std::get<Dtype>(w.type), c.dtype);
    EXPECT_EQ(w.shape, Shape({2, 3}));
    ASSERT_EQ(w.nbytes, data.size());
    const HostTensor host = to_host_tensor(w);
    EXPECT_EQ(host.data(), w.data.get());
    EXPECT_EQ(host.dtype(), c.dtype);
    EXPECT_EQ(std::memcmp(host.data(), data.data(), data.size()), 0);
  }
}

TEST(Gguf, PackedTypesHaveTheirBlockBytes) {
  const std::pair<std::uint32_t, QuantType> types[] = {
      {2, QuantType::q4_0},  {3, QuantType::q4_1},  {6, QuantType::q5_0},  {7, QuantType::q5_1},
      {8, QuantType::q8_0},  {10, QuantType::q2_k}, {11, QuantType::q3_k}, {12, QuantType::q4_k},
      {13, QuantType::q5_k}, {14, QuantType::q6_k}};
  for (const auto& [id, type] : types) {
    SCOPED_TRACE(to_string(type));
    std::string data(4 * block_bytes(type), '\x11');
    const auto k = static_cast<std::uint64_t>(2 * block_size(type));
    const GgufFile file = parse(one("w", {k, 2}, data, id));
    const GgufTensor& w = file.tensor("w");
    EXPECT_EQ(std::get<QuantType>(w.type), type);
    EXPECT_EQ(w.nbytes, data.size());
    std::vector<float> expected(2 * k);
    dequantize_row(type, w.data.get(), expected.data(), static_cast<std::int64_t>(2 * k));
    EXPECT_EQ(floats(w), expected);

    data.pop_back();
    expect_refused(one("w", {k, 2}, data, id), {"file ends at byte", "\"w\""});
    expect_refused(one("w", {k + 16, 2}, data, id),
                   {"\"w\"", "rows of " + std::to_string(k + 16), std::string(to_string(type))});
    expect_refused(one("w", {}, data, id), {"\"w\"", "rows of 1"});
    EXPECT_EQ(parse(one("w", {0, 2}, "", id)).tensor("w").nbytes, 0u);
  }
}

TEST(Gguf, PackedTypesThatCannotBeReadAreNamed) {
  expect_refused(one("w", {256}, std::string(66, 'x'), 16), {"\"w\"", "type 16 (IQ2_XXS)"},
                 ErrorCode::unsupported_dtype);
  expect_refused(one("w", {256}, std::string(66, 'x'), 39), {"type 39 (MXFP4)"},
                 ErrorCode::unsupported_dtype);
}

TEST(Gguf, MisalignedMemoryIsCopiedToAlignment) {
  const std::string file = one("w", {2}, bytes_of(1.0f, 2.0f));
  const auto memory = share(std::string(1, ' ') + file);
  const GgufFile parsed = parse_gguf({memory, memory.get() + 1}, file.size(), "odd");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parsed.tensor("w").data.get()) % 4, 0u);
  EXPECT_EQ(floats(parsed.tensor("w")), std::vector<float>({1, 2}));
}

TEST(Gguf, TensorsOutliveTheFileObject) {
  const TempFolder folder;
  const auto path = folder.write("w.gguf", one("w", {2}, bytes_of(1.0f, 2.0f)));
  const GgufTensor w = load_gguf(path).tensor("w");
  std::filesystem::remove(path);
  EXPECT_EQ(floats(w), std::vector<float>({1, 2}));
}

}  // namespace
}  // namespace tessera

// Saving, shards and folders.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>

#include "tessera/io/safetensors.h"
#include "tests/io/file_builder.h"

namespace tessera {
namespace {

std::string one_float(const std::string& name, float value) {
  return safetensors(object({entry(name, "[1]", 0, 4)}), bytes_of(value));
}

float only_value(const SafetensorsFile& file, std::string_view name) {
  return file.tensor(name).values<float>()[0];
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SaveSafetensors, LoadsBackEqualInEveryDtype) {
  const TempFolder folder;
  std::map<std::string, HostTensor, std::less<>> tensors;
  const Dtype dtypes[] = {bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
                          int32, int64, float16, float32, float64, bfloat16, complex64};
  for (const Dtype dtype : dtypes) {
    HostTensor tensor({3, 1}, dtype);
    for (std::size_t i = 0; i < tensor.nbytes(); ++i) {
      tensor.mutable_data()[i] = static_cast<std::byte>(dtype == bool_ ? i % 2 : i * 7);
    }
    tensors.emplace(std::string(to_string(dtype)), tensor);
  }
  tensors.emplace("empty", HostTensor({0, 5}, float32));
  tensors.emplace("scalar", HostTensor(Shape{}, int8));
  tensors.emplace("name \"quoted\" \n é", HostTensor({1}, float16));
  const std::map<std::string, std::string, std::less<>> metadata = {{"format", "pt"},
                                                                    {"q\"", "line\n"}};
  const auto path = folder.path() / "all.safetensors";
  save_safetensors(path, tensors, metadata);

  const SafetensorsFile file = load_safetensors(path);
  EXPECT_EQ(file.metadata, metadata);
  ASSERT_EQ(file.tensors.size(), tensors.size());
  const std::string bytes = read_all(path);
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  EXPECT_EQ(header % 8, 0u);
  for (const auto& [name, tensor] : tensors) {
    SCOPED_TRACE(name);
    const HostTensor& loaded = file.tensor(name);
    EXPECT_EQ(loaded.shape(), tensor.shape());
    EXPECT_EQ(loaded.dtype(), tensor.dtype());
    ASSERT_EQ(loaded.nbytes(), tensor.nbytes());
    EXPECT_EQ(std::memcmp(loaded.data(), tensor.data(), tensor.nbytes()), 0);
  }
}

TEST(SaveSafetensors, WritesTheBytesOfTheFormat) {
  const TempFolder folder;
  const auto path = folder.path() / "w.safetensors";
  const float values[] = {7};
  const std::int8_t bytes[] = {1, 2};
  save_safetensors(path, {{"b", HostTensor::from<std::int8_t>(bytes, {2})},
                          {"w", HostTensor::from<float>(values, {1})}});
  EXPECT_EQ(read_all(path),
            safetensors(object({entry("w", "[1]", 0, 4), entry("b", "[2]", 4, 6, "I8")}) + "      ",
                        bytes_of(7.0f) + "\x01\x02"));
  save_safetensors(path, {});
  EXPECT_EQ(read_all(path), safetensors("{}      "));
}

TEST(SaveSafetensors, ReplacesWholeAndLeavesNothingBehindOnFailure) {
  const TempFolder folder;
  const auto path = folder.write("w.safetensors", "old");
  const std::map<std::string, HostTensor, std::less<>> bad = {{"\xff", HostTensor({1}, float32)}};
  expect_error([&] { save_safetensors(path, bad); }, ErrorCode::invalid_argument, {"UTF-8"});
  expect_error(
      [&] {
        save_safetensors(path, {{"__metadata__", HostTensor()}});
      },
      ErrorCode::invalid_argument, {"__metadata__"});
  EXPECT_EQ(read_all(path), "old");

  const SafetensorsFile before = [&] {
    save_safetensors(path, {{"w", HostTensor({1}, float32)}});
    return load_safetensors(path);
  }();
  const float seven[] = {7};
  save_safetensors(path, {{"w", HostTensor::from<float>(seven, {1})}});
  EXPECT_EQ(only_value(before, "w"), 0.0f) << "a mapped file must not change under its reader";
  EXPECT_EQ(only_value(load_safetensors(path), "w"), 7.0f);

  std::filesystem::create_directory(folder.path() / "taken");
  expect_error([&] { save_safetensors(folder.path() / "taken", {}); }, ErrorCode::io, {"taken"});
  expect_error([&] { save_safetensors(folder.path() / "none" / "w.safetensors", {}); },
               ErrorCode::not_found, {"cannot create"});
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 2u) << "a temporary file was left behind";
}

TEST(LoadSafetensors, MissingFilesAndFoldersSaySo) {
  const TempFolder folder;
  expect_error([&] { load_safetensors(folder.path() / "none.safetensors"); }, ErrorCode::not_found,
               {"none.safetensors", "cannot open", "No such file"});
  expect_error([&] { load_safetensors(folder.path()); }, ErrorCode::not_found,
               {"holds no .safetensors file"});
}

TEST(LoadSafetensors, AFolderYieldsItsModel) {
  const TempFolder folder;
  folder.write("adapter_model.safetensors", one_float("a", 1));
  EXPECT_EQ(only_value(load_safetensors(folder.path()), "a"), 1.0f);
  folder.write("other.safetensors", one_float("o", 2));
  expect_error([&] { load_safetensors(folder.path()); }, ErrorCode::invalid_argument,
               {"2 .safetensors files", "adapter_model.safetensors"});
  folder.write("model.safetensors", one_float("w", 3));
  EXPECT_EQ(only_value(load_safetensors(folder.path()), "w"), 3.0f);
  folder.write("model.safetensors.index.json", R"({"weight_map":{"o":"other.safetensors"}})");
  EXPECT_EQ(only_value(load_safetensors(folder.path()), "o"), 2.0f);
}

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("model-00001-of-00002.safetensors",
                  safetensors(object({R"("__metadata__":{"format":"pt"})", entry("a", "[1]", 0, 4),
                                      entry("extra", "[1]", 4, 8)}),
                              bytes_of(1.0f, 9.0f)));
    folder_.write("model-00002-of-00002.safetensors", one_float("b", 2));
  }
  std::filesystem::path write_index(const std::string& weight_map) const {
    return folder_.write("model.safetensors.index.json",
                         R"({"metadata":{"total_size":8},"weight_map":)" + weight_map + "}");
  }
  void expect_refused(const std::string& index, ErrorCode code,
                      const std::vector<std::string>& parts) const {
    const auto path = folder_.write("model.safetensors.index.json", index);
    expect_error([&] { load_safetensors(path); }, code, parts);
  }

  TempFolder folder_;
};

TEST_F(Shards, JoinWhatTheIndexLists) {
  const auto index = write_index(
      R"({"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"})");
  for (const auto& path : {index, folder_.path()}) {
    const SafetensorsFile file = load_safetensors(path);
    EXPECT_EQ(only_value(file, "a"), 1.0f);
    EXPECT_EQ(only_value(file, "b"), 2.0f);
    EXPECT_EQ(file.tensors.size(), 2u);
    EXPECT_EQ(file.metadata.at("format"), "pt");
  }
}

TEST_F(Shards, AMissingShardOrTensorIsNamed) {
  expect_refused(R"({"weight_map":{"c":"model-00002-of-00002.safetensors"}})", ErrorCode::not_found,
                 {"missing tensor \"c\"", "model-00002-of-00002"});
  expect_refused(R"({"weight_map":{"c":"model-00003-of-00003.safetensors"}})", ErrorCode::not_found,
                 {"model-00003-of-00003.safetensors", "No such file"});
}

TEST_F(Shards, AnIndexCannotReachOutOfItsFolder) {
  for (const char* shard :
       {"../x.safetensors", "/etc/x.safetensors", "sub/x.safetensors", "..\\\\x.safetensors",
        "C:x.safetensors", "..", "", "x.bin", "x\\u0000.safetensors", "~/.ssh/id"}) {
    SCOPED_TRACE(shard);
    expect_refused(R"({"weight_map":{"a":")" + std::string(shard) + "\"}}", ErrorCode::bad_format,
                   {"places tensor \"a\"", "same folder"});
  }
}

TEST_F(Shards, AnIndexOutsideTheSchemaIsRefused) {
  expect_refused("", ErrorCode::bad_format, {"not valid JSON"});
  expect_refused("[]", ErrorCode::bad_format, {"weight_map"});
  expect_refused("{}", ErrorCode::bad_format, {"weight_map"});
  expect_refused(R"({"weight_map":[]})", ErrorCode::bad_format, {"weight_map"});
  expect_refused(R"({"weight_map":{"a":1}})", ErrorCode::bad_format, {"\"a\"", "not a string"});
  expect_refused(R"({"weight_map":{"a":"x.safetensors","a":"y.safetensors"}})",
                 ErrorCode::bad_format, {"\"a\" twice"});
  expect_refused(std::string("{\"weight_map\":{}}\0{}", 19), ErrorCode::bad_format,
                 {"not valid JSON at byte 18"});
  expect_refused(R"({"x":1e999})", ErrorCode::bad_format, {"out of range"});
  expect_refused("{\"x\":" + std::string(100'000, '['), ErrorCode::bad_format, {"64 levels"});
}

}  // namespace
}  // namespace tessera

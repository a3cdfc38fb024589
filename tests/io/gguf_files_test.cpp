// Real model files against what the gguf package reads from them (tools/oracles/gguf_files.py).
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tessera/core/error.h"
#include "tessera/io/gguf.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestSummed = 1 << 25;  // elements; as in the script

nlohmann::json goldens() {
  return nlohmann::json::parse(std::ifstream(TESSERA_GOLDENS "/gguf_files.json"));
}

/// Where the file lies; empty when it is nowhere.
fs::path find_model(const std::string& name) {
  std::vector<fs::path> folders = {TESSERA_SHARED_DATA};
  if (const char* data = std::getenv("TESSERA_TEST_DATA")) folders.push_back(data);
  if (const char* cache = std::getenv("TESSERA_CACHE"))
    folders.push_back(fs::path(cache) / "models");
  if (const char* home = std::getenv("HOME")) {
    folders.push_back(fs::path(home) / ".cache/tessera/models");
  }
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name)) return folder / name;
  }
  return {};
}

std::string type_name(const GgufTensor& tensor) {
  std::string name(std::visit([](auto type) { return to_string(type); }, tensor.type));
  if (name == "float32") return "F32";
  name[0] = 'Q';
  return name;
}

/// The sum of the bit patterns of all elements as float32, modulo 2^64.
std::uint64_t bit_sum(const HostTensor& tensor) {
  std::uint64_t sum = 0;
  for (const float value : tensor.values<float>()) sum += std::bit_cast<std::uint32_t>(value);
  return sum;
}

class GgufFiles : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path path = find_model(GetParam());
    if (path.empty()) {
      GTEST_SKIP() << GetParam() << " is neither in shared/data, TESSERA_TEST_DATA nor the cache";
    }
    file_ = load_gguf(path);
  }

  nlohmann::json golden_ = goldens().at(GetParam());
  GgufFile file_;
};

TEST_P(GgufFiles, MetadataIsTheReference) {
  const std::string architecture = golden_.at("architecture");
  EXPECT_EQ(file_.tensors.size(), golden_.at("tensors"));
  EXPECT_EQ(file_.get_string("general.architecture"), architecture);
  EXPECT_EQ(file_.get_uint(architecture + ".block_count"), golden_.at("block_count"));
  EXPECT_EQ(file_.get_uint("tokenizer.ggml.eos_token_id"), golden_.at("eos_token_id"));
  EXPECT_EQ(file_.get_bool("tokenizer.ggml.add_bos_token"), golden_.at("add_bos_token"));
  EXPECT_EQ(file_.get_float(architecture + ".attention.layer_norm_rms_epsilon"),
            golden_.at("rms_epsilon").get<double>());
  const auto* tokens = file_.get_strings("tokenizer.ggml.tokens");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->size(), golden_.at("tokens"));
  EXPECT_EQ(tokens->at(300), golden_.at("token_300"));
  const auto types = file_.get_ints("tokenizer.ggml.token_type");
  ASSERT_TRUE(types.has_value());
  EXPECT_EQ(std::accumulate(types->begin(), types->end(), std::int64_t{0}),
            golden_.at("token_type_sum"));
}

TEST_P(GgufFiles, SampledValuesAreTheReference) {
  for (const auto& sample : golden_.at("samples")) {
    SCOPED_TRACE(sample.at("name"));
    const HostTensor tensor = to_host_tensor(file_.tensor(sample.at("name").get<std::string>()));
    const auto sizes = sample.at("shape").get<std::vector<std::int64_t>>();
    EXPECT_EQ(tensor.shape(), Shape(sizes.begin(), sizes.end()));
    for (std::size_t i = 0; i < sample.at("index").size(); ++i) {
      const std::size_t index = sample["index"][i];
      EXPECT_EQ(tensor.values<float>()[index], sample["value"][i].get<float>()) << index;
    }
  }
}

TEST_P(GgufFiles, EveryValueIsTheReference) {
  std::map<std::string, std::uint64_t> tensors;
  std::map<std::string, std::uint64_t> sums;
  for (const auto& [name, tensor] : file_.tensors) {
    const std::string type = type_name(tensor);
    ++tensors[type];
    if (num_elements(tensor.shape) <= kLargestSummed) sums[type] += bit_sum(to_host_tensor(tensor));
  }
  ASSERT_EQ(tensors.size(), golden_.at("types").size());
  for (const auto& [type, expected] : golden_.at("types").items()) {
    EXPECT_EQ(tensors[type], expected.at("tensors")) << type;
    EXPECT_EQ(sums[type], expected.at("bit_sum")) << type;
  }
}

TEST_P(GgufFiles, CutFilesAreRefusedBeforeAnyTensorIsRead) {
  const fs::path path = file_.path;
  const auto size = static_cast<std::size_t>(fs::file_size(path));
  const std::size_t kept = size - 4096;
  std::shared_ptr<std::byte> bytes = allocate_host(kept);
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.get()), static_cast<std::streamsize>(kept));
  try {
    parse_gguf(bytes, kept, path);
    FAIL() << "accepted";
  } catch (const Error& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("file ends at byte " + std::to_string(kept)), std::string::npos) << what;
    EXPECT_NE(what.find("needs up to"), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(All, GgufFiles,
                         testing::Values("stories260K.gguf", "SmolLM2-135M-Instruct.Q4_1.gguf",
                                         "gemma-3-270m.Q4_K_M.gguf"),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find_first_of("-."));
                         });

}  // namespace
}  // namespace tessera

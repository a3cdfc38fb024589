// Names of models on this machine, and what of a repository a model needs.
#include "tessera/io/hub.h"
#include "tessera/io/internal/hub_files.h"
#include "tests/io/file_builder.h"
#include "tests/support/environment.h"

namespace tessera {
namespace {

using hub::RemoteFile;

/// A cache folder with some models in it.
class ModelNames : public ::testing::Test {
 protected:
  ModelNames() : cache_("TESSERA_CACHE", folder_.path().string()) {
    make("single.gguf");
    make("org/folder/config.json");
    make("org/folder/model.safetensors");
    make("org/one/weights.Q4_0.gguf");
    make("org/two/a.gguf");
    make("org/two/b.gguf");
    make("org/split/m-00001-of-00002.gguf");
    make("org/split/m-00002-of-00002.gguf");
  }

  std::filesystem::path models() const { return folder_.path() / "models"; }

  void make(const std::string& name) const {
    std::filesystem::create_directories((models() / name).parent_path());
    std::ofstream(models() / name) << "x";
  }

  TempFolder folder_;
  ScopedEnvironment cache_;
};

TEST_F(ModelNames, ResolveToFilesAndFoldersOfTheCache) {
  EXPECT_EQ(resolve_model("single.gguf"), models() / "single.gguf");
  EXPECT_EQ(resolve_model("single"), models() / "single.gguf");
  EXPECT_EQ(resolve_model("org/folder"), models() / "org/folder");
  EXPECT_EQ(resolve_model("org/one"), models() / "org/one/weights.Q4_0.gguf");
  EXPECT_EQ(resolve_model("org/split"), models() / "org/split/m-00001-of-00002.gguf");
}

TEST_F(ModelNames, AnExistingPathIsTakenAsItIs) {
  const auto own = folder_.write("own.gguf", "x");
  EXPECT_EQ(resolve_model(own.string()), own);
}

TEST_F(ModelNames, SeveralModelsInAFolderAreListedForAChoice) {
  expect_error([] { resolve_model("org/two"); }, ErrorCode::invalid_argument,
               {"holds 2 models", "a.gguf", "b.gguf"});
}

TEST_F(ModelNames, AMissingOneSaysWhereItLookedAndWhatToDo) {
  expect_error([] { resolve_model("org/absent"); }, ErrorCode::not_found,
               {"org/absent", models().string(), "pull"});
  expect_error([] { resolve_model(""); }, ErrorCode::invalid_argument, {});
}

TEST_F(ModelNames, DoNotLeaveTheCacheFolder) {
  folder_.write("secret.gguf", "x");
  expect_error([] { resolve_model("../secret.gguf"); }, ErrorCode::not_found, {});
}

TEST_F(ModelNames, AreListedOnceEach) {
  EXPECT_EQ(cached_models(),
            (std::vector<std::string>{"org/folder", "org/one", "org/split", "org/two/a.gguf",
                                      "org/two/b.gguf", "single.gguf"}));
}

TEST(CacheFolder, FollowsItsVariablesInOrder) {
  const ScopedEnvironment home("HOME", "/home/someone");
  const ScopedEnvironment no_xdg("XDG_CACHE_HOME", "");
  const ScopedEnvironment none("TESSERA_CACHE", "");
  EXPECT_EQ(cache_folder(), "/home/someone/.cache/tessera");
  const ScopedEnvironment xdg("XDG_CACHE_HOME", "/xdg");
  EXPECT_EQ(cache_folder(), "/xdg/tessera");
  const ScopedEnvironment own("TESSERA_CACHE", "/own");
  EXPECT_EQ(cache_folder(), "/own");
}

TEST(CacheFolder, SaysWhatToSetWhenNothingIs) {
  const ScopedEnvironment home("HOME", "");
  const ScopedEnvironment xdg("XDG_CACHE_HOME", "");
  const ScopedEnvironment own("TESSERA_CACHE", "");
  expect_error([] { cache_folder(); }, ErrorCode::not_found, {"TESSERA_CACHE"});
}

TEST(HubFiles, RefusePathsThatLeaveTheFolder) {
  for (const char* path : {"", "..", "../x", "a/../x", "/etc/x", "a//x", "./x", "a/.", "a\\x",
                           "c:x", "a\nb", "x.part", ".tessera-pull.json"}) {
    expect_error([&] { hub::check_remote_path(path, "list"); }, ErrorCode::bad_format, {"list"});
  }
  expect_error([] { hub::check_remote_path(std::string("a\0b", 3), "list"); },
               ErrorCode::bad_format, {});
  EXPECT_NO_THROW(hub::check_remote_path("folder/model-00001-of-00002.safetensors", "list"));
}

TEST(HubFiles, ModelNamesAreOneOrTwoPlainWords) {
  for (const char* name : {"gpt2", "org/model", "HuggingFaceTB/SmolLM2-135M-Instruct"}) {
    EXPECT_NO_THROW(hub::check_model_name(name)) << name;
  }
  for (const char* name : {"", "/", "a/b/c", "../x", "org/..", "org/.hidden", "-x", "a b", "a?b",
                           "org/", "/model", "https://host/x"}) {
    expect_error([&] { hub::check_model_name(name); }, ErrorCode::invalid_argument, {});
  }
}

TEST(HubFiles, ReadAListWithSizesAndChecksums) {
  const std::string sha256(64, 'a');
  const std::string git(40, 'b');
  const auto files = hub::parse_tree(R"([{"type":"directory","oid":")" + git +
                                         R"(","size":0,"path":"onnx"},
          {"type":"file","oid":")" + git +
                                         R"(","size":12,"path":"config.json"},
          {"type":"file","oid":")" + git +
                                         R"(","size":130,"path":"model.safetensors",
           "lfs":{"oid":")" + sha256 + R"(","size":1234,"pointerSize":130}}])",
                                     "list");
  EXPECT_EQ(files, (std::vector<RemoteFile>{{"config.json", 12, git},
                                            {"model.safetensors", 1234, sha256}}));
}

TEST(HubFiles, RefuseAListThatIsNone) {
  for (const char* text :
       {"", "{}", "[1]", R"([{"type":"file"}])", R"([{"type":"file","path":1,"size":1,"oid":""}])",
        R"([{"type":"file","path":"a","size":-1,"oid":"b"}])",
        R"([{"type":"file","path":"a","size":1,"oid":"not a checksum"}])"}) {
    expect_error([&] { hub::parse_tree(text, "list"); }, ErrorCode::bad_format, {"list"});
  }
}

std::vector<std::string> chosen(const std::vector<std::string>& paths,
                                const std::vector<std::string>& include = {}) {
  std::vector<RemoteFile> files;
  for (const std::string& path : paths) files.push_back({path, 1, ""});
  std::vector<std::string> names;
  for (const RemoteFile& file : hub::choose_files(files, include, "org/model")) {
    names.push_back(file.path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(HubFiles, OfAllWeightsSafetensorsAreChosen) {
  EXPECT_EQ(chosen({"README.md", "config.json", "model.safetensors", "pytorch_model.bin",
                    "tokenizer.json", "onnx/model.onnx", "model.gguf"}),
            (std::vector<std::string>{"config.json", "model.safetensors", "tokenizer.json"}));
}

TEST(HubFiles, WeightsThatAreThereTwiceAreChosenOnce) {
  EXPECT_EQ(chosen({"consolidated.safetensors", "model.safetensors", "params.json"}),
            (std::vector<std::string>{"model.safetensors", "params.json"}));
}

TEST(HubFiles, OneGgufIsChosenAndSeveralAreAQuestion) {
  EXPECT_EQ(chosen({"m-00001-of-00002.gguf", "m-00002-of-00002.gguf"}).size(), 2U);
  expect_error(
      [] {
        chosen({"m.Q4_0.gguf", "m.Q8_0.gguf"});
      },
      ErrorCode::invalid_argument, {"2 GGUF models", "m.Q4_0.gguf", "m.Q8_0.gguf"});
  EXPECT_EQ(chosen({"m.Q4_0.gguf", "m.Q8_0.gguf"}, {"*Q8_0*"}),
            (std::vector<std::string>{"m.Q8_0.gguf"}));
}

TEST(HubFiles, NothingToChooseIsAnError) {
  expect_error([] { chosen({"README.md"}); }, ErrorCode::not_found, {"README.md"});
  expect_error([] { chosen({"model.safetensors"}, {"*.gguf"}); }, ErrorCode::not_found, {});
}

}  // namespace
}  // namespace tessera

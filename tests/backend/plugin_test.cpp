// Backends in modules: what is found and loaded, and how everything else is refused.
#include "tessera/backend/plugin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/core/log.h"
#include "tessera/core/version.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/op_hash.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path module_file(const std::string& name) {
  return fs::path(TEST_MODULES) / ("tessera-" + name + ".so");
}

// TESSERA_PLUGIN_PATH while it lives. The tests of a program run one by one.
class PluginPath {
 public:
  explicit PluginPath(const std::string& value) {
    ::setenv("TESSERA_PLUGIN_PATH", value.c_str(), 1);
  }
  ~PluginPath() { ::unsetenv("TESSERA_PLUGIN_PATH"); }
};

template <class Fn>
Error error_of(Fn fn) {
  try {
    fn();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::internal, "", "");
}

void expect_says(const Error& e, ErrorCode code, const std::vector<std::string>& words) {
  EXPECT_EQ(e.code(), code) << e.what();
  for (const std::string& word : words) {
    EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
        << "\"" << word << "\" is not in: " << e.what();
  }
}

struct Refusal {
  std::string module;
  std::vector<std::string> words;
};

class RefusedModule : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedModule, IsNamedWithItsFault) {
  const fs::path file = module_file(GetParam().module);
  ASSERT_TRUE(fs::exists(file));
  const Error e = error_of([&] { load_plugin(file); });
  expect_says(e, ErrorCode::bad_format, GetParam().words);
  expect_says(e, ErrorCode::bad_format, {file.string()});
  // Not half loaded either: the next try says the same.
  EXPECT_STREQ(error_of([&] { load_plugin(file); }).what(), e.what());
  EXPECT_THROW(make_backend(GetParam().module), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Plugin, RefusedModule,
    ::testing::Values(Refusal{"no_symbol", {"tessera_backend_module", "no backend module"}},
                      Refusal{"magic", {"not a module's description"}},
                      Refusal{"abi", {"9.8.7", kVersion, "ABI 2", "ABI 3"}},
                      Refusal{"version", {"Tessera 0.0.1", kVersion}},
                      Refusal{"toolchain", {"libfoo++", "libstdc++"}},
                      Refusal{"op_table", {"another op table"}}, Refusal{"types", {"other sizes"}},
                      Refusal{"taken", {"\"cpu\"", "there already"}}),
    [](const auto& info) { return info.param.module; });

TEST(Plugin, AFileThatIsNotThereIsNotFound) {
  const Error e = error_of([] { load_plugin("/nowhere/tessera-mine.so"); });
  expect_says(e, ErrorCode::not_found, {"/nowhere/tessera-mine.so", "no such file"});
}

TEST(Plugin, AFileThatIsNoLibraryIsRefusedInTheLoadersWords) {
  const fs::path file = fs::path(::testing::TempDir()) / "tessera-text.so";
  std::ofstream(file) << "This is a text.\n";
  expect_says(error_of([&] { load_plugin(file); }), ErrorCode::bad_format,
              {file.string(), "cannot be loaded as a module"});
  expect_says(error_of([&] { load_plugin(TEST_MODULES); }), ErrorCode::bad_format,
              {"cannot be loaded as a module"});
  fs::remove(file);
}

TEST(Plugin, AWholeModuleIsLoadedOnceAndMadeByName) {
  EXPECT_EQ(load_plugin(module_file("whole")), "whole");
  EXPECT_EQ(load_plugin(module_file("whole")), "whole");
  const BackendPtr backend = make_backend("whole");
  EXPECT_EQ(backend->name(), "whole");
  EXPECT_EQ(make_backend("whole")->info().device, "nothing");
  EXPECT_NE(make_backend("whole"), backend);
  EXPECT_EQ(shared_backend("whole"), shared_backend("whole"));
}

TEST(Plugin, AnErrorThrownInTheModuleIsCaughtAsOneHere) {
  load_plugin(module_file("whole"));
  const array a = zeros({2});
  const array there = to_backend(a, shared_backend("whole"));
  const Error e = error_of([&] { exp(there).eval(); });
  expect_says(e, ErrorCode::unsupported_op, {"exp"});
}

TEST(Plugin, WhatTheModuleLogsReachesTheHostsCallback) {
  load_plugin(module_file("whole"));
  std::string heard;
  const LogCallback before =
      set_log_callback([&](LogLevel, std::string_view message) { heard = message; });
  make_backend("whole", {.threads = 3});
  set_log_callback(before);
  EXPECT_EQ(heard, "made with 3 threads");
}

TEST(Plugin, AFactoryThatFailsIsAnErrorWithTheFileAndItsWords) {
  const struct {
    const char* module;
    ErrorCode code;
    std::vector<std::string> words;
  } cases[] = {{"throws_error", ErrorCode::device_lost, {"the device: is on fire"}},
               {"throws_standard", ErrorCode::internal, {"no driver"}},
               {"throws_number", ErrorCode::internal, {"does not say why"}},
               {"makes_nothing", ErrorCode::internal, {"no backend was made"}}};
  for (const auto& c : cases) {
    EXPECT_EQ(load_plugin(module_file(c.module)), c.module);
    const Error e = error_of([&] { make_backend(c.module); });
    expect_says(e, c.code, c.words);
    expect_says(e, c.code, {module_file(c.module).string()});
    const std::vector<BackendStatus> list = list_backends();
    const auto status = std::find_if(list.begin(), list.end(),
                                     [&](const BackendStatus& s) { return s.name == c.module; });
    ASSERT_NE(status, list.end()) << c.module;
    EXPECT_FALSE(status->available);
    EXPECT_NE(status->reason.find(c.words[0]), std::string::npos) << status->reason;
  }
}

TEST(PluginPath, AFoldersModuleIsOpenedWhenItsBackendIsAskedFor) {
  const PluginPath path(TEST_MODULES);
  EXPECT_EQ(make_backend("whole")->name(), "whole");
}

TEST(PluginPath, AFileMayHaveAnyName) {
  const fs::path file = fs::path(::testing::TempDir()) / "renamed.module";
  fs::copy_file(module_file("whole"), file, fs::copy_options::overwrite_existing);
  const PluginPath path(file.string());
  EXPECT_EQ(make_backend("whole")->name(), "whole");
  fs::remove(file);
}

TEST(PluginPath, AFolderListsEveryCandidateWithItsFate) {
  const PluginPath path(TEST_MODULES);
  const std::vector<PluginCandidate> candidates = plugin_candidates();
  const auto fate = [&](const std::string& name) {
    const auto it =
        std::find_if(candidates.begin(), candidates.end(),
                     [&](const PluginCandidate& c) { return c.path == module_file(name); });
    EXPECT_NE(it, candidates.end()) << name;
    return it == candidates.end() ? PluginCandidate{} : *it;
  };
  EXPECT_TRUE(fate("whole").loaded);
  EXPECT_EQ(fate("whole").fate, "loaded");
  EXPECT_EQ(fate("whole").origin, "TESSERA_PLUGIN_PATH");
  EXPECT_TRUE(fate("throws_error").loaded);  // it fails only when it is made
  EXPECT_FALSE(fate("abi").loaded);
  EXPECT_NE(fate("abi").fate.find("ABI 2"), std::string::npos);
  EXPECT_NE(fate("name").fate.find("\"somebody_else\""), std::string::npos);
}

TEST(PluginPath, ListsARefusedModuleAsABackendThatIsNotAvailable) {
  const PluginPath path(TEST_MODULES);
  const std::vector<BackendStatus> list = list_backends();
  const auto status = std::find_if(list.begin(), list.end(),
                                   [](const BackendStatus& s) { return s.name == "op_table"; });
  ASSERT_NE(status, list.end());
  EXPECT_FALSE(status->available);
  EXPECT_NE(status->reason.find("another op table"), std::string::npos) << status->reason;
}

TEST(PluginPath, AnUnknownBackendsErrorSaysWhyItsModuleWasRefused) {
  const PluginPath path(TEST_MODULES);
  expect_says(error_of([] { make_backend("version"); }), ErrorCode::not_found,
              {"\"version\"", "Tessera 0.0.1"});
}

TEST(PluginPath, WhatItNamesInVainIsAnErrorOfAutoAndOfUnknownNames) {
  const PluginPath path("/nowhere/modules:" TEST_MODULES);
  expect_says(error_of([] { make_backend("auto"); }), ErrorCode::not_found,
              {"TESSERA_PLUGIN_PATH", "/nowhere/modules"});
  expect_says(error_of([] { make_backend("tpu"); }), ErrorCode::not_found, {"/nowhere/modules"});
  const std::vector<BackendStatus> list = list_backends();
  EXPECT_TRUE(std::any_of(list.begin(), list.end(), [](const BackendStatus& s) {
    return !s.available && s.reason.find("/nowhere/modules") != std::string::npos;
  }));
  EXPECT_EQ(make_backend("cpu")->name(), "cpu");  // who names a backend gets it
}

TEST(OpHash, ChangesWithWhatItIsFed) {
  Fingerprint a, b, c;
  a.add("Add:required");
  b.add("Add:optional");
  c.add("Add:");
  c.add("required");
  EXPECT_NE(a.value(), b.value());
  EXPECT_NE(a.value(), c.value());
  EXPECT_NE(a.value(), Fingerprint().value());
}

}  // namespace
}  // namespace tessera

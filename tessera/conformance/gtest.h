// The conformance suite as GoogleTest tests, one for each group and mode:
//
//   int main(int argc, char** argv) {
//     testing::InitGoogleTest(&argc, argv);
//     tessera::conformance::register_tests("Mine", [] { return make_my_backend(); });
//     return RUN_ALL_TESTS();
//   }
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "tessera/conformance/suite.h"

namespace tessera::conformance {

class GroupTest : public ::testing::Test {
 public:
  GroupTest(const Suite& suite, std::string group, Mode mode, std::function<BackendPtr()> backend)
      : suite_(suite), group_(std::move(group)), mode_(mode), backend_(std::move(backend)) {}

  void TestBody() override {
    RunOptions options;
    options.modes = {mode_};
    const Summary summary = suite_.run_group(group_, backend_(), options);
    EXPECT_GT(summary.passed + static_cast<std::int64_t>(summary.failures.size()), 0);
    for (const Result& r : summary.failures) ADD_FAILURE() << r.id << ": " << r.failure;
  }

 private:
  const Suite& suite_;
  std::string group_;
  Mode mode_;
  std::function<BackendPtr()> backend_;
};

/// Call before RUN_ALL_TESTS(). backend() is called at the start of each test; it may give the same
/// instance again.   errors  those of Suite
inline void register_tests(const std::string& name, const std::function<BackendPtr()>& backend) {
  static const Suite suite;
  for (const Mode mode : {Mode::native, Mode::lowered}) {
    const std::string test_suite =
        name + (mode == Mode::native ? "ConformanceNative" : "ConformanceLowered");
    for (const auto& [group, ids] : suite.groups()) {
      std::string test = group;
      std::replace_if(
          test.begin(), test.end(), [](char c) { return c == '.' || c == '/'; }, '_');
      ::testing::RegisterTest(test_suite.c_str(), test.c_str(), nullptr, nullptr, __FILE__,
                              __LINE__, [group = group, mode, backend]() -> ::testing::Test* {
                                return new GroupTest(suite, group, mode, backend);
                              });
    }
  }
}

}  // namespace tessera::conformance

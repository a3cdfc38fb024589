// Every deliberate fault is caught by some case of the suite.
//
//   test_mutants           GoogleTest: one test for each fault
//   test_mutants --table   the table of docs/conformance.md: the fault, the first case that saw it
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <stop_token>

#include "tessera/conformance/suite.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {
namespace {

const conformance::Suite& suite() {
  static const conformance::Suite the;
  return the;
}

/// The first case that fails: of the likely group, else of all.
std::optional<conformance::Result> caught_by(const Mutant& mutant) {
  const BackendPtr backend = make_mutant(mutant);
  std::stop_source enough;
  conformance::RunOptions options;
  options.stop_token = enough.get_token();
  options.on_result = [&](const conformance::Result& r) {
    if (!r.passed()) enough.request_stop();
  };
  conformance::Summary summary;
  if (suite().groups().contains(mutant.group)) {
    summary = suite().run_group(mutant.group, backend, options);
  }
  if (summary.failures.empty()) summary = suite().run(backend, options);
  if (summary.failures.empty()) return std::nullopt;
  return summary.failures.front();
}

class MutantTest : public ::testing::Test {
 public:
  explicit MutantTest(Mutant mutant) : mutant_(std::move(mutant)) {}
  void TestBody() override {
    EXPECT_TRUE(caught_by(mutant_).has_value()) << "no case sees that " << mutant_.name;
  }

 private:
  Mutant mutant_;
};

// The wrapper itself is no fault, or every mutant would be seen for that alone.
TEST(Mutant, NoFaultIsSeenWhereThereIsNone) {
  const conformance::Summary summary = suite().run(make_mutant({.name = "sound", .group = ""}));
  EXPECT_GT(summary.passed, 3000);
  for (const conformance::Result& r : summary.failures) ADD_FAILURE() << r.id << ": " << r.failure;
}

int print_table() {
  std::puts("| fault | first seen by |\n| --- | --- |");
  for (const Mutant& mutant : mutants()) {
    const auto by = caught_by(mutant);
    std::printf("| %s | %s |\n", mutant.name.c_str(),
                by ? ("`" + by->id + "`").c_str() : "**nothing**");
  }
  return 0;
}

void register_mutants() {
  for (const Mutant& mutant : mutants()) {
    std::string name = mutant.name;
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    ::testing::RegisterTest("Mutant", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [mutant]() -> ::testing::Test* { return new MutantTest(mutant); });
  }
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--table") return tessera::testing::print_table();
  ::testing::InitGoogleTest(&argc, argv);
  tessera::testing::register_mutants();
  return RUN_ALL_TESTS();
}

#include "tessera/backends/cpu/isa/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tessera/core/error.h"

namespace tessera::cpu::isa {
namespace {

class IsaChoice : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TESSERA_CPU_ISA"); }
};

TEST_F(IsaChoice, TakesTheFastestByDefault) {
  unsetenv("TESSERA_CPU_ISA");
  EXPECT_EQ(best_isa(), available_isas().back());
}

TEST_F(IsaChoice, TheEnvironmentForcesAnyAvailableOne) {
  for (Isa isa : available_isas()) {
    setenv("TESSERA_CPU_ISA", std::string(to_string(isa)).c_str(), 1);
    EXPECT_EQ(best_isa(), isa);
  }
}

TEST_F(IsaChoice, RefusesUnknownNamesAndListsTheChoices) {
  setenv("TESSERA_CPU_ISA", "sse9", 1);
  try {
    best_isa();
    FAIL() << "accepted sse9";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
    const std::string text = e.what();
    EXPECT_NE(text.find("sse9"), std::string::npos) << text;
    for (Isa isa : available_isas()) {
      EXPECT_NE(text.find(to_string(isa)), std::string::npos) << text;
    }
  }
}

TEST_F(IsaChoice, UseIsaSwitchesTheTable) {
  for (Isa isa : available_isas()) {
    use_isa(isa);
    EXPECT_EQ(&kernels(), &kernels(isa));
  }
}

}  // namespace
}  // namespace tessera::cpu::isa

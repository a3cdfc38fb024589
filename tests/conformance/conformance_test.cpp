// The cpu backend passes the conformance suite, with its kernels and through every lowering.
#include "tessera/backend/registry.h"
#include "tessera/conformance/gtest.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::conformance::register_tests("Cpu", tessera::cpu_backend);
  return RUN_ALL_TESTS();
}

// Backends by name and by scope.
#include "tessera/backend/registry.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/core/error.h"
#include "tessera/ops/op_table.h"
#include "tessera/ops/ops.h"
#include "tests/support/recording_backend.h"

namespace tessera {
namespace {

using testing::RecordingBackend;

TEST(Registry, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    make_backend("tpu");
    FAIL() << "there is no tpu";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(e.what()).find("\"tpu\""), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("cpu"), std::string::npos) << e.what();
  }
  EXPECT_THROW(make_backend("cpu", {.threads = -1}), Error);
  EXPECT_THROW(set_num_threads(-1), Error);
}

TEST(Registry, AutoFindsABackendThatWorks) {
  const BackendPtr backend = make_backend("auto");
  const BackendScope scope(backend);
  EXPECT_EQ((array(1.0f) + 1.0f).item<float>(), 2.0f);
}

TEST(Registry, AHostProgramsOwnBackendIsMadeByName) {
  register_backend(
      "mine", [](const BackendOptions&) { return std::make_shared<RecordingBackend>("mine"); });
  const BackendPtr backend = make_backend("mine");
  EXPECT_EQ(backend->name(), "mine");
  register_backend("broken", [](const BackendOptions&) -> BackendPtr {
    throw Error(ErrorCode::not_found, "broken", "no such device");
  });
  bool listed_mine = false;
  for (const BackendStatus& s : list_backends()) {
    if (s.name == "mine") listed_mine = s.available;
    if (s.name == "broken") {
      EXPECT_FALSE(s.available);
      EXPECT_NE(s.reason.find("no such device"), std::string::npos) << s.reason;
    }
  }
  EXPECT_TRUE(listed_mine);
}

TEST(Registry, TheListHasEveryBackendOnceWithAReasonForTheMissing) {
  const std::vector<BackendStatus> list = list_backends();
  for (const char* name : {"mlx", "cuda", "webgpu", "cpu"}) {
    const auto is = [&](const BackendStatus& s) { return s.name == name; };
    ASSERT_EQ(std::count_if(list.begin(), list.end(), is), 1) << name;
    const BackendStatus& status = *std::find_if(list.begin(), list.end(), is);
    EXPECT_EQ(status.available, status.reason.empty()) << name;
  }
}

TEST(BackendScopes, NestAndRestore) {
  const BackendPtr outer = make_backend("cpu");
  const BackendPtr inner = make_backend("cpu");
  EXPECT_EQ(current_backend(), cpu_backend());
  {
    const BackendScope a(outer);
    EXPECT_EQ(array(1).backend(), outer);
    {
      const BackendScope b(inner);
      EXPECT_EQ(zeros({2}).backend(), inner);
      EXPECT_EQ(arange(3).backend(), inner);
    }
    EXPECT_EQ(current_backend(), outer);
    try {
      const BackendScope b(inner);
      throw std::runtime_error("out");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(current_backend(), outer);
  }
  EXPECT_EQ(current_backend(), cpu_backend());
}

TEST(Contract, TheCpuBackendHasAKernelForEveryRequiredOp) {
  std::size_t required = 0;
  for (const OpInfo* op : op_table()) {
    if (!op->required) continue;
    ++required;
    EXPECT_TRUE(cpu_backend()->native(op->id)) << op->name;
  }
  EXPECT_GT(required, 30u);
}

TEST(Contract, OpsHaveDistinctNamesAndADescription) {
  std::set<std::string_view> names;
  for (const OpInfo* op : op_table()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_GT(op->doc.size(), 3u) << op->name;
    EXPECT_EQ(op->required, op->lower == nullptr) << op->name;
  }
  EXPECT_EQ(names.size(), op_table().size());
}

}  // namespace
}  // namespace tessera

// Whole models on the mlx backend, and memory over a long decode.
#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/io/safetensors.h"
#include "tessera/ir/node.h"
#include "tessera/models/registry.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::models {
namespace {

using tessera::testing::goldens;

// TESSERA_PLUGIN_PATH and TESSERA_MLX_PATH come from CTest.
BackendPtr mlx() {
  return shared_backend("mlx");
}

std::int32_t next_id(const LanguageModel& model, const array& ids, nn::KvCaches& cache) {
  const array hidden = model.forward(ids, cache, {});
  const array last = slice(hidden, {0, hidden.shape(1) - 1, 0}, hidden.shape());
  return static_cast<std::int32_t>(argmax(model.logits(last)).item<std::uint32_t>());
}

class TinyOnMlx : public ::testing::TestWithParam<std::string> {};

TEST_P(TinyOnMlx, GreedyIdsEqualTheReference) {
  const BackendScope scope(mlx());
  const auto folder = goldens() / "tiny" / GetParam();
  const auto model = load_language_model(folder, mlx());
  const SafetensorsFile want = load_safetensors(folder / "expected.safetensors");
  const auto golden = want.tensor("greedy_ids").values<std::int32_t>();
  nn::KvCaches cache = model->make_cache();
  array ids = expand_dims(array(want.tensor("prompt_ids")), 0);
  std::vector<std::int32_t> got;
  while (got.size() < golden.size()) {
    got.push_back(next_id(*model, ids, cache));
    ids = array({got.back()}, {1, 1});
  }
  EXPECT_EQ(got, std::vector<std::int32_t>(golden.begin(), golden.end()));
}

std::vector<std::string> folders() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(goldens() / "tiny")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, TinyOnMlx, ::testing::ValuesIn(folders()),
                         [](const auto& test) { return test.param; });

TEST(Mlx, MemoryIsFlatOverAThousandTokens) {
  const BackendScope scope(mlx());
  const auto model = load_language_model(goldens() / "tiny" / "smollm2", mlx());
  std::uint64_t live = 0, active = 0;
  std::int32_t id = 1;
  constexpr int kTurns = 25, kTokens = 40;
  for (int turn = 0; turn < kTurns; ++turn) {
    {
      nn::KvCaches cache = model->make_cache();
      for (int i = 0; i < kTokens; ++i) id = next_id(*model, array({id}, {1, 1}), cache);
    }
    mlx()->synchronize();
    const MemoryInfo now = mlx()->memory();
    if (turn == 1) {
      live = now.live_tensors;
      active = now.active_bytes;
    }
    if (turn > 1) {
      ASSERT_EQ(now.live_tensors, live) << "turn " << turn;
      ASSERT_EQ(now.active_bytes, active) << "turn " << turn;
    }
  }
}

TEST(Mlx, RunOnlyGrowsTheGraphUntilSomebodyAsks) {
  const BackendPtr backend = mlx();
  const BackendScope scope(backend);
  backend->synchronize();
  const std::uint64_t before = backend->memory().active_bytes;
  std::vector<TensorPtr> tensors{backend->from_host(HostTensor(Shape{1 << 20}, float32))};
  const std::uint64_t with_input = backend->memory().active_bytes;
  const Exp op;
  const TensorSpec spec{{1 << 20}, float32};
  TensorPtr out;
  backend->run(OpRef(op_info<Exp>(), &op), tensors, {&spec, 1}, {&out, 1});
  EXPECT_EQ(backend->memory().active_bytes, with_input);
  EXPECT_EQ(backend->read(out).get().values<float>()[12345], 1.0f);
  EXPECT_GE(backend->memory().active_bytes, before + (4u << 20));
}

TEST(Mlx, IndicesKnownOnlyLaterAreCheckedWhenTheyAreKnown) {
  const BackendScope scope(mlx());
  const array table = arange(0, 12, 1, float32);
  const array bad = astype(arange(0, 3, 1, float32) * 6.0f, int32);  // 0 6 12
  try {
    take(table, bad, 0).eval();
    FAIL() << "index 12 of 12 was taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(e.what()).find("index 12 is out of range for an axis of 12"),
              std::string::npos)
        << e.what();
  }
  EXPECT_EQ(take(table, bad - 1, 0).data<float>()[2], 11.0f);
  EXPECT_EQ(take(table, bad - 12, 0).data<float>()[1], 6.0f);
}

TEST(Mlx, ADeviceThatIsNotThereIsRefused) {
  EXPECT_THROW(make_backend("mlx", {.device = "tpu"}), Error);
  EXPECT_EQ(make_backend("mlx", {.device = "cpu"})->info().facts.back().second, "cpu");
}

TEST(Mlx, AutoPassesOverItWhereItHasOnlyTheProcessor) {
  if (mlx()->default_dtype() != float32) GTEST_SKIP() << "MLX has a GPU here";
  EXPECT_EQ(make_backend("auto")->name(), "cpu");
}

}  // namespace
}  // namespace tessera::models

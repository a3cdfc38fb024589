// Real models, token for token: greedy ids equal transformers' in float32 over the dequantised
// weights (tools/oracles/greedy_gguf.py), 24 prompts each.
#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/models/registry.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::models {
namespace {

// Two float32 implementations differ by about 1e-4 in logits of size 30. Where the reference's two
// best are closer than this, either choice is right.
constexpr double kTie = 1e-3;

void expect_equal_ids(const std::string& file, const std::string& golden_name) {
  const auto path = tessera::testing::cached_model(file);
  if (!path)
    GTEST_SKIP() << file << " is not in the model cache; tools/oracles/fetch_models.py gets it";
  const auto golden =
      tessera::testing::read_json(tessera::testing::goldens() / "greedy" / golden_name);
  const auto model = load_language_model(*path, cpu_backend());
  std::size_t prompts = 0;
  for (const auto& item : golden.at("prompts")) {
    const auto prompt = item.at("prompt_ids").get<std::vector<std::int32_t>>();
    const auto want = item.at("ids").get<std::vector<std::int32_t>>();
    nn::KvCaches cache = model->make_cache();
    array ids(std::span<const std::int32_t>(prompt), {1, std::int64_t(prompt.size())});
    for (std::size_t step = 0; step < want.size(); ++step) {
      const array hidden = model->forward(ids, cache);
      const array last = slice(hidden, {0, hidden.shape(1) - 1, 0}, hidden.shape());
      const array logits = model->logits(last);
      const auto id = static_cast<std::int32_t>(argmax(logits).item<std::uint32_t>());
      const auto& top2 = item.at("top2").at(step);
      if (id != want[step]) {
        const double gap = top2.at(0).get<double>() - top2.at(1).get<double>();
        const float* l = logits.data<float>();
        ASSERT_LT(gap, kTie) << item.at("id") << " step " << step << ": got " << id << " (" << l[id]
                             << "), expected " << want[step] << " (" << l[want[step]]
                             << "); the reference has " << top2;
        std::cout << item.at("id") << " step " << step << ": a tie, reference logits " << top2
                  << ", ours " << l[id] << " for " << id << " and " << l[want[step]] << " for "
                  << want[step] << "\n";
      }
      // Going on from the reference's own id keeps the rest comparable after a tie.
      ids = array({want[step]}, {1, 1});
    }
    ++prompts;
  }
  EXPECT_EQ(prompts, 24u);
}

TEST(Greedy, SmolLm2EqualsTheReference) {
  expect_equal_ids("SmolLM2-135M-Instruct.Q4_1.gguf", "smollm2.json");
}
TEST(Greedy, Gemma3EqualsTheReference) {
  expect_equal_ids("gemma-3-270m.Q4_K_M.gguf", "gemma3.json");
}

}  // namespace
}  // namespace tessera::models

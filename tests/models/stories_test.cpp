// The smoke test: a trained 1 MB Llama from a GGUF file gives exactly the ids it must.
#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/models/registry.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::models {
namespace {

TEST(Stories260K, GreedyIdsAreExactOnEveryThreadCount) {
  const auto path = tessera::testing::shared_data("stories260K.gguf");
  const auto json = tessera::testing::shared_data("stories260K.expected.json");
  if (!path || !json)
    GTEST_SKIP() << "stories260K.gguf is not in ../shared/data or TESSERA_TEST_DATA";
  const auto expected = tessera::testing::read_json(*json);
  const auto golden = expected.at("greedy_ids").get<std::vector<std::int32_t>>();
  for (int threads : {1, 2, 3, 5}) {
    const BackendScope scope(make_backend("cpu", {.threads = threads}));
    const auto model = load_language_model(*path, current_backend());
    nn::KvCaches cache = model->make_cache();
    auto prompt = expected.at("prompt_ids").get<std::vector<std::int32_t>>();
    array ids(std::span<const std::int32_t>(prompt), {1, std::int64_t(prompt.size())});
    std::vector<std::int32_t> got;
    while (got.size() < golden.size()) {
      const array hidden = model->forward(ids, cache);
      const array last = slice(hidden, {0, hidden.shape(1) - 1, 0}, hidden.shape());
      got.push_back(static_cast<std::int32_t>(argmax(model->logits(last)).item<std::uint32_t>()));
      ids = array({got.back()}, {1, 1});
    }
    ASSERT_EQ(got, golden) << threads << " threads";
  }
}

}  // namespace
}  // namespace tessera::models

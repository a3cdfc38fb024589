// Every decoder family against transformers on tiny random checkpoints
// (tools/oracles/tiny_checkpoints.py): logits, per-layer states, greedy ids, ragged batches.
#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/io/safetensors.h"
#include "tessera/models/registry.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::models {
namespace {

using tessera::testing::goldens;
using tessera::testing::max_difference;

// Summation order differs from PyTorch's; logits are of size 1 to 10.
constexpr float kTolerance = 1e-4f;

class TinyCheckpoint : public ::testing::TestWithParam<std::string> {
 protected:
  std::filesystem::path folder() const { return goldens() / "tiny" / GetParam(); }
  std::unique_ptr<LanguageModel> load() const {
    return load_language_model(folder(), cpu_backend());
  }
  SafetensorsFile expected() const { return load_safetensors(folder() / "expected.safetensors"); }
};

array row_logits(const LanguageModel& model, const array& ids, nn::KvCaches& cache,
                 const ForwardOptions& options = {}) {
  return model.logits(model.forward(ids, cache, options));
}

TEST_P(TinyCheckpoint, LogitsAndHiddenStatesEqualTheReference) {
  const auto model = load();
  const SafetensorsFile want = expected();
  const array ids(want.tensor("input_ids"));
  nn::KvCaches cache = model->make_cache();
  std::vector<array> states;
  ForwardOptions options;
  options.hook = [&](int, const array& h) {
    states.push_back(h);
    return h;
  };
  const array out = row_logits(*model, ids, cache, options);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string name = "hidden.layer." + std::to_string(i);
    if (!want.find(name)) continue;
    const array first_row =
        slice(states[i], {0, 0, 0}, {1, states[i].shape(1), states[i].shape(2)});
    EXPECT_LT(max_difference(first_row, want.tensor(name)), kTolerance) << name;
  }
  EXPECT_LT(max_difference(out, want.tensor("logits")), kTolerance);
}

TEST_P(TinyCheckpoint, EveryChunkingOfThePromptGivesTheSameLogits) {
  const auto model = load();
  const SafetensorsFile want = expected();
  const array ids(want.tensor("input_ids"));
  const std::int64_t length = ids.shape(1);
  for (std::int64_t chunk : {1, 7, 8, 9, 17}) {
    nn::KvCaches cache = model->make_cache();
    std::vector<array> parts;
    for (std::int64_t at = 0; at < length; at += chunk) {
      const array piece = slice(ids, {0, at}, {2, std::min(length, at + chunk)});
      parts.push_back(row_logits(*model, piece, cache));
    }
    EXPECT_LT(max_difference(concatenate(parts, 1), want.tensor("logits")), kTolerance) << chunk;
    EXPECT_EQ(cache.length(), length);
  }
}

TEST_P(TinyCheckpoint, GreedyIdsEqualTheReference) {
  const auto model = load();
  const SafetensorsFile want = expected();
  nn::KvCaches cache = model->make_cache();
  array ids = expand_dims(array(want.tensor("prompt_ids")), 0);
  std::vector<std::int32_t> got;
  const auto golden = want.tensor("greedy_ids").values<std::int32_t>();
  while (got.size() < golden.size()) {
    const array out = row_logits(*model, ids, cache);
    const array last = slice(out, {0, out.shape(1) - 1, 0}, out.shape());
    got.push_back(static_cast<std::int32_t>(argmax(last).item<std::uint32_t>()));
    ids = array({got.back()}, {1, 1});
  }
  EXPECT_EQ(got, std::vector<std::int32_t>(golden.begin(), golden.end()));
}

TEST_P(TinyCheckpoint, RaggedBatchEqualsEachPromptAlone) {
  const auto model = load();
  const SafetensorsFile want = expected();
  const auto lengths = want.tensor("ragged_lengths").values<std::int32_t>();
  const auto ids = want.tensor("ragged_ids").values<std::int32_t>();
  const std::int32_t longest = *std::max_element(lengths.begin(), lengths.end());
  std::vector<std::int32_t> padded;
  ForwardOptions options;
  std::size_t at = 0;
  for (std::int32_t n : lengths) {
    options.left_padding.push_back(longest - n);
    padded.insert(padded.end(), longest - n, 0);
    padded.insert(padded.end(), ids.begin() + at, ids.begin() + at + n);
    at += n;
  }
  const array batch(std::span<const std::int32_t>(padded), {std::int64_t(lengths.size()), longest});
  nn::KvCaches cache = model->make_cache();
  const array out = row_logits(*model, batch, cache, options);
  const array last = slice(out, {0, longest - 1, 0}, out.shape());
  EXPECT_LT(max_difference(last, want.tensor("ragged_logits")), kTolerance);
}

TEST_P(TinyCheckpoint, BothSpellingsOfTheConfigGiveTheSameModel) {
  const auto file = std::make_shared<SafetensorsFile>(load_safetensors(folder()));
  std::ifstream in(folder() / "config.other.json");
  const std::string json(std::istreambuf_iterator<char>(in), {});
  ASSERT_FALSE(json.empty());
  const auto weights = weights_of(file, "tiny", cpu_backend(),
                                  MlxQuantization::from_json(json, "config.other.json"));
  const std::string type = nlohmann::json::parse(json).at("model_type");
  for (const ModelFamily& family : families()) {
    if (!family.covers(type)) continue;
    const auto model = family.from_json(json, "config.other.json", *weights, {});
    const SafetensorsFile want = expected();
    nn::KvCaches cache = model->make_cache();
    const array out = row_logits(*model, array(want.tensor("input_ids")), cache);
    EXPECT_LT(max_difference(out, want.tensor("logits")), kTolerance);
  }
}

std::vector<std::string> folders() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(goldens() / "tiny")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, TinyCheckpoint, ::testing::ValuesIn(folders()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tessera::models

// Low-rank adapters on language models: trained through cache, attention and quantised weights.
#include <gtest/gtest.h>

#include <filesystem>

#include "tessera/backend/registry.h"
#include "tessera/io/safetensors.h"
#include "tessera/models/registry.h"
#include "tessera/nn/gradients.h"
#include "tessera/nn/lora.h"
#include "tessera/nn/losses.h"
#include "tessera/nn/optimizers/adam.h"
#include "tessera/ops/ops.h"
#include "tests/support/goldens.h"

namespace tessera::models {
namespace {

using testing::max_difference;

class Adapters : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<LanguageModel> load() const {
    auto model = load_language_model(testing::goldens() / "tiny" / GetParam(), cpu_backend());
    model->eval();
    return model;
  }
  array logits(const LanguageModel& model, const array& ids) const {
    nn::KvCaches cache = model.make_cache();
    return model.logits(model.forward(ids, cache));
  }
  array ids() const {
    const auto file =
        load_safetensors(testing::goldens() / "tiny" / GetParam() / "expected.safetensors");
    return slice(array(file.tensor("input_ids")), {0, 0}, {1, 12});
  }
};

TEST_P(Adapters, LearnWhileTheModelStaysAndCanBeMerged) {
  const auto model = load();
  const array in = slice(ids(), {0, 0}, {1, 11}), next = slice(ids(), {0, 1}, {1, 12});
  const array before = logits(*model, in);
  before.eval();

  model->freeze();
  random::seed(3);
  const nn::AdapterConfig config{2, {.rank = 4, .scale = 4.0f}};
  nn::linear_to_lora_layers(*model, config.num_layers, config.lora);
  EXPECT_LT(max_difference(logits(*model, in), before.to_host()), 1e-5f);

  auto step = nn::value_and_grad(*model, [&] {
    return nn::losses::cross_entropy(logits(*model, in), next, {.reduction = nn::Reduction::mean});
  });
  optimizers::Adam optimizer(0.02);
  const float first = step().first.item<float>();
  for (int i = 0; i < 30; ++i) {
    optimizer.update(*model, step().second);
    eval(model->trainable_parameters(), optimizer.state());
  }
  const array adapted = logits(*model, in);
  EXPECT_LT(step().first.item<float>(), 0.7f * first);

  const auto folder = std::filesystem::path(::testing::TempDir()) / ("adapter_" + GetParam());
  nn::save_adapters(folder, *model, config);
  const auto other = load();
  nn::load_adapters(*other, folder);
  EXPECT_EQ(max_difference(logits(*other, in), adapted.to_host()), 0.0f);
  std::filesystem::remove_all(folder);

  nn::fuse_adapters(*model, true);
  const float largest = max(abs(adapted)).item<float>();
  EXPECT_LT(max_difference(logits(*model, in), adapted.to_host()), 2e-4f * largest);
  nn::remove_adapters(*other);
  EXPECT_EQ(max_difference(logits(*other, in), before.to_host()), 0.0f);
}

INSTANTIATE_TEST_SUITE_P(, Adapters, ::testing::Values("smollm2", "qwen3", "gemma3", "mlx_affine"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tessera::models

// Low-rank adapters: what they compute, how they are put on models, saved, loaded and merged.
#include "tessera/nn/lora.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tessera/nn/nn.h"
#include "tessera/ops/ops.h"
#include "tests/nn/golden_file.h"
#include "tests/ops/expect.h"

namespace tessera::nn {
namespace {

using testing::expect_close;

struct Layer : Module {
  Linear q_proj{32, 32}, v_proj{32, 32, false};
  array operator()(const array& x) const { return x + v_proj(tanh(q_proj(x))); }
  void visit(Members& members) override {
    members("q_proj", q_proj);
    members("v_proj", v_proj);
  }
};

struct Model : Module {
  std::vector<Layer> layers{3};
  Linear head{32, 4};
  Model() { eval(); }
  array operator()(const array& x) const {
    array h = x;
    for (const Layer& layer : layers) h = layer(h);
    return head(h);
  }
  void visit(Members& members) override {
    members("model.layers", layers);
    members("head", head);
  }
};

std::vector<std::string> names(const Parameters& parameters) {
  std::vector<std::string> out;
  for (const auto& [name, value] : parameters) out.push_back(name);
  return out;
}

// As training would leave them: B is no longer zero.
void move_adapters(Model& model) {
  random::seed(5);
  Parameters moved;
  for (const auto& [name, value] : model.trainable_parameters()) {
    moved.emplace(name, value + random::normal(value.shape(), 0.0f, 0.02f));
  }
  model.update(moved);
}

class LowRank : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    random::seed(1);
    model.emplace();
    x = random::normal({2, 32});
  }
  LoraOptions options() const { return {.rank = 4, .scale = 2.0f, .use_dora = GetParam()}; }

  std::optional<Model> model;
  array x{0.0f};
};

INSTANTIATE_TEST_SUITE_P(, LowRank, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Dora" : "Lora"; });

TEST_P(LowRank, StartsAsTheModelItself) {
  const array before = (*model)(x);
  model->freeze();
  linear_to_lora_layers(*model, 2, options());
  expect_close((*model)(x), before, 1e-5f, "after");
  std::vector<std::string> want;
  for (const char* layer : {"1", "2"}) {
    for (const char* proj : {"q_proj", "v_proj"}) {
      for (const char* part : {"lora_a", "lora_b", "m"}) {
        if (*part == 'm' && !GetParam()) continue;
        want.push_back(std::string("model.layers.") + layer + "." + proj + "." + part);
      }
    }
  }
  EXPECT_EQ(names(model->trainable_parameters()), want);
}

TEST_P(LowRank, ComputesWhatItsPaperSays) {
  Linear& layer = model->layers[0].q_proj;
  layer.set_adapter(LowRankAdapter(layer, 4, 2.0f, 0.0f, GetParam()));
  move_adapters(*model);
  const LowRankAdapter& adapter = *layer.adapter();
  array weight = layer.weight().data + 2.0f * transpose(matmul(adapter.lora_a, adapter.lora_b));
  if (GetParam()) {
    weight = weight * expand_dims(*adapter.m / sqrt(sum(square(weight), 1)), 1);
  }
  expect_close(layer(x), linear(x, weight, layer.bias()), 1e-5f, "adapted");
}

TEST_P(LowRank, MergesIntoTheWeights) {
  linear_to_lora_layers(*model, -1, options());
  const array before = (*model)(x);
  move_adapters(*model);
  const array adapted = (*model)(x);
  EXPECT_GT(testing::max_difference(adapted, before.to_host()), 1e-2f);
  const std::size_t parameters = Model().parameters().size();
  fuse_adapters(*model);
  EXPECT_EQ(model->parameters().size(), parameters);
  expect_close((*model)(x), adapted, 1e-5f, "merged");
}

TEST_P(LowRank, MergesIntoQuantisedWeights) {
  quantize(*model, {.group_size = 32, .bits = 8});
  linear_to_lora_layers(*model, -1, options());
  move_adapters(*model);
  const array adapted = (*model)(x);
  Model dense = *model;
  fuse_adapters(*model);
  EXPECT_TRUE(model->layers[0].q_proj.is_quantized());
  expect_close((*model)(x), adapted, 2e-2f, "quantised anew");
  fuse_adapters(dense, true);
  EXPECT_FALSE(dense.layers[0].q_proj.is_quantized());
  expect_close(dense(x), adapted, 1e-4f, "dense");
}

TEST_P(LowRank, ComesBackFromAFolder) {
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / (GetParam() ? "dora_adapter" : "lora_adapter");
  const Model base = *model;
  linear_to_lora_layers(*model, 2, options());
  move_adapters(*model);
  save_adapters(folder, *model, {2, options()});

  Model other = base;
  const AdapterConfig config = load_adapters(other, folder);
  EXPECT_EQ(config.num_layers, 2);
  EXPECT_EQ(config.lora.use_dora, GetParam());
  for (const Layer& layer : other.layers) {
    const auto& mine = layer.q_proj.adapter();
    EXPECT_EQ(mine ? mine->scale : 2.0f, 2.0f);
  }
  const Parameters want = model->parameters();
  for (const auto& [name, value] : other.parameters()) {
    if (name.find("lora") != std::string::npos) expect_close(value, want.at(name), 0.0f, name);
  }

  Model narrow;
  narrow.layers.resize(1);
  EXPECT_REFUSED(load_adapters(narrow, folder), "layers");
  Model small;
  small.layers[2].q_proj = Linear(8, 32);
  EXPECT_REFUSED(load_adapters(small, folder), "lora_a");
  EXPECT_FALSE(small.layers[1].q_proj.adapter().has_value());
  std::filesystem::remove_all(folder);
}

TEST(LoraLayers, AreChosenByKey) {
  Model model;
  model.freeze();
  linear_to_lora_layers(model, 1, {.keys = {"v_proj"}});
  EXPECT_EQ(
      names(model.trainable_parameters()),
      (std::vector<std::string>{"model.layers.2.v_proj.lora_a", "model.layers.2.v_proj.lora_b"}));
  EXPECT_REFUSED(linear_to_lora_layers(model, 1, {.keys = {"proj"}}), "\"proj\"");
  EXPECT_REFUSED(linear_to_lora_layers(model, 1), "has an adapter");
  EXPECT_REFUSED(linear_to_lora_layers(model, 4), "3 layers");
  remove_adapters(model);
  EXPECT_TRUE(model.trainable_parameters().empty());
  EXPECT_REFUSED(linear_to_lora_layers(model, 1, {.rank = 0}), "rank");
  EXPECT_REFUSED(linear_to_lora_layers(model, 1, {.dropout = 1.0f}), "dropout");
}

TEST(LoraFiles, AreRefusedWithTheirName) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "bad_adapter";
  std::filesystem::create_directories(folder);
  Model model;
  EXPECT_REFUSED(save_adapters(folder, model, {}), "no adapters");
  EXPECT_REFUSED(load_adapters(model, folder), "adapter_config.json");
  std::ofstream(folder / "adapter_config.json") << "{\"num_layers\": 2}";
  EXPECT_REFUSED(load_adapters(model, folder), "adapter_config.json");
  std::ofstream(folder / "adapter_config.json")
      << "{\"num_layers\": 2, \"fine_tune_type\": \"full\"}";
  EXPECT_REFUSED(load_adapters(model, folder), "full");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera::nn

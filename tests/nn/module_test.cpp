// Module: names, walks, freezing, modes, and weights to and from files.
#include "tessera/nn/module.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tessera/graph/eval.h"
#include "tessera/nn/nn.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera::nn {
namespace {

using Names = std::vector<std::string>;

struct Block : Module {
  Linear up{2, 3};
  std::optional<LayerNorm> norm;
  void visit(Members& members) override {
    members("up", up);
    members("norm", norm);
  }
};

struct Net : Module {
  std::vector<Block> blocks{2};
  std::unique_ptr<Dropout> dropout = std::make_unique<Dropout>(0.5);
  BatchNorm batch{3};
  array scale = ones({1});
  Net() { blocks[1].norm.emplace(3); }
  void visit(Members& members) override {
    members("blocks", blocks);
    members("dropout", dropout);
    members("batch", batch);
    members("scale", scale);
  }
};

Names names(const Parameters& parameters) {
  Names out;
  for (const auto& [name, value] : parameters) out.push_back(name);
  return out;
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / name;
}

TEST(ModuleTree, NamesParametersByTheirPath) {
  Net net;
  EXPECT_EQ(names(net.parameters()),
            (Names{"batch.bias", "batch.running_mean", "batch.running_var", "batch.weight",
                   "blocks.0.up.bias", "blocks.0.up.weight", "blocks.1.norm.bias",
                   "blocks.1.norm.weight", "blocks.1.up.bias", "blocks.1.up.weight", "scale"}));
}

TEST(ModuleTree, TrainsEverythingButBuffers) {
  Net net;
  const Names trained = names(net.trainable_parameters());
  EXPECT_EQ(trained.size(), 9u);
  EXPECT_EQ(std::count(trained.begin(), trained.end(), "batch.running_mean"), 0);
}

TEST(ModuleTree, ListsModules) {
  Net net;
  Names children, all, leaves;
  for (const auto& [name, m] : net.children()) children.push_back(name);
  for (const auto& [name, m] : net.named_modules()) all.push_back(name);
  for (const auto& [name, m] : net.leaf_modules()) leaves.push_back(name);
  EXPECT_EQ(children, (Names{"blocks.0", "blocks.1", "dropout", "batch"}));
  EXPECT_EQ(all, (Names{"", "blocks.0", "blocks.0.up", "blocks.1", "blocks.1.up", "blocks.1.norm",
                        "dropout", "batch"}));
  EXPECT_EQ(leaves, (Names{"blocks.0.up", "blocks.1.up", "blocks.1.norm", "dropout", "batch"}));
  EXPECT_EQ(net.modules().size(), all.size());
}

TEST(ModuleTree, CopiesLiveOnTheirOwn) {
  Linear first(2, 2);
  Linear second = first;
  EXPECT_EQ(first.parameters().at("weight").id(), second.parameters().at("weight").id());
  second.update({{"weight", zeros({2, 2})}});
  second.freeze();
  EXPECT_NE(first.parameters().at("weight").id(), second.parameters().at("weight").id());
  EXPECT_EQ(first.trainable_parameters().size(), 2u);
}

TEST(ModuleUpdate, ReplacesByName) {
  Net net;
  net.update({{"blocks.1.up.bias", array({1.0f, 2.0f, 3.0f})}, {"scale", array({4.0f})}});
  EXPECT_EQ(testing::values<float>(net.blocks[1].up.parameters().at("bias")),
            (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(net.scale.item<float>(), 4);
}

TEST(ModuleUpdate, RefusesUnknownNamesUnlessTold) {
  Net net;
  const Parameters changes{{"blocks.2.up.bias", zeros({3})}, {"scale", zeros({1})}};
  EXPECT_REFUSED(net.update(changes), "blocks.2.up.bias");
  EXPECT_EQ(net.scale.item<float>(), 1);
  net.update(changes, false);
  EXPECT_EQ(net.scale.item<float>(), 0);
}

TEST(ModuleApply, MapsAndCasts) {
  Net net;
  net.apply([](const array& a) { return zeros(a.shape(), a.dtype()); });
  for (const auto& [name, value] : net.parameters()) {
    EXPECT_EQ(max(abs(value)).item<float>(), 0) << name;
  }
  net.set_dtype(float16);
  for (const auto& [name, value] : net.parameters()) EXPECT_EQ(value.dtype(), float16) << name;
  net.set_dtype(float32, [](Dtype dtype) { return dtype == bfloat16; });
  EXPECT_EQ(net.scale.dtype(), float16);
}

TEST(ModuleFreeze, TakesParametersOutOfTraining) {
  Net net;
  net.freeze();
  EXPECT_TRUE(net.trainable_parameters().empty());
  net.blocks[0].unfreeze();
  EXPECT_EQ(names(net.trainable_parameters()), (Names{"blocks.0.up.bias", "blocks.0.up.weight"}));
  net.unfreeze({.keys = {"bias"}});
  EXPECT_EQ(names(net.trainable_parameters()),
            (Names{"batch.bias", "blocks.0.up.bias", "blocks.0.up.weight", "blocks.1.norm.bias",
                   "blocks.1.up.bias"}));
  net.unfreeze();
  EXPECT_EQ(net.trainable_parameters().size(), 9u);
}

TEST(ModuleFreeze, TakesKeysOfParametersAndOfChildren) {
  Net net;
  net.freeze({.keys = {"weight"}});
  for (const std::string& name : names(net.trainable_parameters())) {
    EXPECT_FALSE(name.ends_with("weight")) << name;
  }
  net.unfreeze();
  net.freeze({.recurse = false, .keys = {"blocks"}});
  EXPECT_EQ(names(net.trainable_parameters()), (Names{"batch.bias", "batch.weight", "scale"}));
  net.unfreeze({.recurse = false});
  net.freeze({.recurse = false, .keys = {"blocks.1"}});
  EXPECT_TRUE(net.trainable_parameters().contains("blocks.0.up.bias"));
  EXPECT_FALSE(net.trainable_parameters().contains("blocks.1.up.bias"));
}

TEST(ModuleFreeze, KnowsItsMembersIfStrict) {
  Net net;
  EXPECT_REFUSED(net.freeze({.keys = {"bais"}, .strict = true}), "bais");
  EXPECT_REFUSED(net.unfreeze({.recurse = false, .keys = {"bias"}, .strict = true}), "bias");
  net.freeze({.keys = {"bias"}, .strict = true});
  net.freeze({.keys = {"bais"}});
  EXPECT_FALSE(net.trainable_parameters().contains("batch.bias"));
}

TEST(ModuleMode, IsSetBelowToo) {
  Net net;
  EXPECT_TRUE(net.dropout->training());
  net.eval();
  for (Module* m : net.modules()) EXPECT_FALSE(m->training());
  const array x = ones({4, 4});
  EXPECT_EQ((*net.dropout)(x).id(), x.id());
  net.train();
  for (Module* m : net.modules()) EXPECT_TRUE(m->training());
}

TEST(ModuleWeights, ComeBackFromAFile) {
  const auto file = temporary("module_weights.safetensors");
  Net net, other;
  net.blocks[0].up.set_dtype(bfloat16);
  net.save_weights(file);
  other.load_weights(file);
  const Parameters want = net.parameters(), got = other.parameters();
  for (const auto& [name, value] : want) {
    EXPECT_EQ(got.at(name).dtype(), value.dtype()) << name;
    EXPECT_TRUE(all(got.at(name) == value).item<bool>()) << name;
  }
  std::filesystem::remove(file);
  EXPECT_REFUSED(net.save_weights(temporary("weights.bin")), ".safetensors");
}

TEST(ModuleWeights, AreRefusedByName) {
  Net net;
  Parameters weights = net.parameters();
  weights.erase("scale");
  weights.emplace("blocks.7.up.bias", zeros({3}));
  EXPECT_REFUSED(net.load_weights(weights), "1 parameters are missing: scale");
  EXPECT_REFUSED(net.load_weights(weights), "1 are not in the module: blocks.7.up.bias");
  net.load_weights(weights, false);

  const Parameters wrong{{"scale", zeros({2})}, {"batch.bias", ones({3})}};
  EXPECT_REFUSED(net.load_weights(wrong, false), "scale is [1] in the module, got [2]");
  EXPECT_EQ(max(net.parameters().at("batch.bias")).item<float>(), 0);
}

TEST(ModuleWeights, OfAQuantisedLayerKeepTheirCodes) {
  const auto file = temporary("quantized_weights.safetensors");
  QuantizedLinear first(64, 4), second(64, 4);
  EXPECT_EQ(names(first.parameters()), (Names{"bias", "biases", "scales", "weight"}));
  EXPECT_TRUE(first.trainable_parameters().empty());
  first.save_weights(file);
  second.load_weights(file);
  const array x = ones({1, 64});
  EXPECT_TRUE(all(first(x) == second(x)).item<bool>());
  std::filesystem::remove(file);
}

TEST(Quantize, ChoosesLayersAndFormats) {
  Sequential net(Embedding(8, 64), Linear(64, 64), relu, Linear(64, 32), LayerNorm(32));
  quantize(net, {.bits = 8, .predicate = [](const std::string& path, Module& m) -> QuantizeChoice {
                   if (path == "layers.1") return QuantGroups{.bits = 2, .group_size = 32};
                   return dynamic_cast<Quantizable*>(&m) != nullptr;
                 }});
  EXPECT_EQ(net.layer<Linear>(1)->weight().groups->format.bits, 2);
  EXPECT_EQ(net.layer<Linear>(3)->weight().groups->format.bits, 8);
  EXPECT_TRUE(net.layer<Embedding>(0)->is_quantized());
  EXPECT_EQ(names(net.trainable_parameters()),
            (Names{"layers.1.bias", "layers.3.bias", "layers.4.bias", "layers.4.weight"}));
  quantize(net);  // nothing is left to do
  EXPECT_EQ(net.layer<Linear>(3)->weight().groups->format.bits, 8);
}

TEST(Quantize, NamesTheLayerThatCannotBe) {
  Sequential net(Linear(64, 10), Linear(10, 2));
  EXPECT_REFUSED(quantize(net), "layers.1");
  const auto everything = [](const std::string&, Module&) { return true; };
  Sequential other(LayerNorm(4));
  EXPECT_REFUSED(quantize(other, {.predicate = everything}), "layers.0");
  EXPECT_REFUSED(quantize(other, {.mode = "ternary"}), "ternary");
  QuantizedLinear twice(64, 2);
  EXPECT_REFUSED(twice.quantize({}), "already");
}

TEST(SequentialModule, GivesItsLayers) {
  Sequential net(Linear(2, 3), relu);
  net.append(Linear(3, 1));
  EXPECT_EQ(net.size(), 3u);
  EXPECT_NE(net.layer<Linear>(0), nullptr);
  EXPECT_EQ(net.layer(1), nullptr);
  EXPECT_EQ(net.layer<LayerNorm>(2), nullptr);
  EXPECT_EQ(net.layer(3), nullptr);
  EXPECT_EQ(net(ones({4, 2})).shape(), (Shape{4, 1}));
}

}  // namespace
}  // namespace tessera::nn

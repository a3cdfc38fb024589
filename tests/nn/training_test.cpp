// Training: gradients by a module's parameters, and whole runs against MLX's.
#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/nn/nn.h"
#include "tessera/nn/optimizers/optimizers.h"
#include "tessera/ops/ops.h"
#include "tests/nn/golden_file.h"
#include "tests/ops/expect.h"

namespace tessera::nn {
namespace {

using testing::expect_close;
using testing::GoldenFile;

constexpr int kSteps = 20;

// A run of the golden file; `model` has the parameters of seed 7.
template <class M>
void follow_mlx(const std::string& name, M& model, optimizers::Optimizer& optimizer,
                std::optional<double> max_norm = std::nullopt) {
  const GoldenFile golden("training");
  const array x = golden.get(name + "/in.x"), y = golden.get(name + "/in.y");
  const array losses = golden.get(name + "/losses");
  auto step = value_and_grad(model, [&](const array& in, const array& labels) {
    return losses::cross_entropy(model(in), labels, {.reduction = Reduction::mean});
  });
  for (int i = 1; i <= kSteps; ++i) {
    random::seed(100 + i);
    auto [loss, gradients] = step(x, y);
    if (max_norm) gradients = optimizers::clip_grad_norm(gradients, *max_norm).first;
    optimizer.update(model, gradients);
    eval(model.parameters(), optimizer.state());
    EXPECT_NEAR(loss.template item<float>(), losses.data<float>()[i - 1], 5e-6) << name << i;
    const Parameters want = golden.below(name + "/step." + std::to_string(i) + ".");
    // Rounding differences grow from step to step.
    if (!want.empty()) expect_close(model.parameters(), want, 5e-6f * i, name);
  }
}

TEST(Training, OfAnMlpFollowsMlx) {
  random::seed(7);
  Sequential model{Linear(4, 16), nn::tanh, Linear(16, 3)};
  optimizers::AdamW optimizer(0.01);
  follow_mlx("mlp", model, optimizer);
}

struct LanguageModel : Module {
  explicit LanguageModel(bool checkpoint)
      : encoder(2, 8, 2, {.mlp_dims = 16, .dropout = 0.1, .checkpoint = checkpoint}) {}
  array operator()(const array& ids) const {
    const array mask =
        MultiHeadAttention::create_additive_causal_mask(static_cast<int>(ids.shape(1)));
    return embedding.as_linear(encoder(embedding(ids), mask));
  }
  void visit(Members& members) override {
    members("embedding", embedding);
    members("encoder", encoder);
  }
  Embedding embedding{11, 8};
  TransformerEncoder encoder;
};

TEST(Training, OfATransformerWithDropoutFollowsMlx) {
  random::seed(7);
  LanguageModel model(false);
  optimizers::Adam optimizer(optimizers::cosine_decay(0.01, 20),
                             {.eps = 1e-6, .bias_correction = true});
  follow_mlx("language_model", model, optimizer, 1.0);
}

struct ConvNet : Module {
  array operator()(const array& x) {
    const array h = pool(relu(norm(conv(x))));
    return head(reshape(h, {h.shape(0), -1}));
  }
  void visit(Members& members) override {
    members("conv", conv);
    members("norm", norm);
    members("head", head);
  }
  Conv2d conv{2, 4, 3, {.padding = 1, .bias = false}};
  BatchNorm norm{4};
  MaxPool2d pool{2};
  Linear head{36, 3};
};

TEST(Training, OfAConvolutionalNetFollowsMlx) {
  random::seed(7);
  ConvNet model;
  optimizers::SGD optimizer(0.05, {.momentum = 0.9});
  follow_mlx("conv_net", model, optimizer);
}

TEST(Training, KeepsTheParametersThatAreFrozen) {
  Sequential model{Linear(2, 3), Linear(3, 1)};
  model.layer(0)->freeze();
  auto step = value_and_grad(model, [&](const array& x) { return sum(model(x)); });
  const auto [loss, gradients] = step(ones({1, 2}));
  EXPECT_EQ(gradients.size(), 2u);
  EXPECT_TRUE(gradients.contains("layers.1.weight"));
}

TEST(Training, ReachesAdaptersThroughQuantisedWeights) {
  random::seed(2);
  Linear layer(64, 8);
  quantize(layer);
  layer.set_adapter(LowRankAdapter(layer, 4, 2.0f, 0.0f, false));
  const array x = random::normal({5, 64}), y = random::normal({5, 8});
  auto step = value_and_grad(layer, [&] { return losses::mse_loss(layer(x), y); });
  optimizers::Adam optimizer(0.01);
  const float before = step().first.item<float>();
  for (int i = 0; i < 100; ++i) {
    optimizer.update(layer, step().second);
    eval(layer.parameters(), optimizer.state());
  }
  EXPECT_LT(step().first.item<float>(), 0.1f * before);
}

TEST(Training, CarriesFurtherValuesAlong) {
  Linear model(2, 1);
  auto step = value_and_grad(model, [&](const array& x) {
    const array y = model(x);
    return Arrays{sum(y), y};
  });
  const auto [values, gradients] = step(ones({3, 2}));
  EXPECT_EQ(values[1].shape(), (Shape{3, 1}));
  EXPECT_EQ(testing::values<float>(gradients.at("bias")), (std::vector<float>{3}));
}

TEST(Training, LeavesTheModelAsItWasWhenALossFails) {
  Linear model(2, 1);
  const Parameters before = model.parameters();
  auto not_scalar = value_and_grad(model, [&](const array& x) { return model(x); });
  EXPECT_REFUSED(not_scalar(ones({3, 2})), "scalar");
  auto failing = value_and_grad(model, [&](const array& x) { return sum(model(x)); });
  EXPECT_REFUSED(failing(ones({3, 5})), "[3, 5]");
  for (const auto& [name, value] : model.parameters()) {
    EXPECT_EQ(value.id(), before.at(name).id()) << name;
  }
  model.freeze();
  EXPECT_REFUSED(failing(ones({3, 2})), "nothing to train");
}

TEST(Checkpoint, ChangesNoGradient) {
  const auto gradients = [](bool checkpoint) {
    random::seed(7);
    LanguageModel model(checkpoint);
    model.eval();
    auto step = value_and_grad(model, [&](const array& ids) { return mean(square(model(ids))); });
    return step(array({1, 5, 3, 2, 10, 0}, {2, 3})).second;
  };
  expect_close(gradients(true), gradients(false), 1e-6f, "gradient");
}

TEST(Training, TakesNoMoreMemoryFromStepToStep) {
  const BackendPtr backend = make_backend("cpu", {.threads = 1});
  const BackendScope scope(backend);
  random::seed(1);
  Sequential model{Linear(8, 32), relu, Linear(32, 8)};
  optimizers::Lion optimizer(optimizers::cosine_decay(1e-3, 100));
  const array x = random::normal({16, 8});
  auto step = value_and_grad(model, [&] { return losses::mse_loss(model(x), x); });
  std::uint64_t after_ten = 0, after_all = 0;
  for (int i = 1; i <= 60; ++i) {
    auto [loss, gradients] = step();
    optimizer.update(model, gradients);
    eval(model.parameters(), optimizer.state());
    (i == 10 ? after_ten : after_all) = backend->memory().active_bytes;
  }
  EXPECT_EQ(after_all, after_ten);
}

}  // namespace
}  // namespace tessera::nn

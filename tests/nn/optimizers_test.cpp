// Optimisers and schedules: trajectories over 20 steps, and what a saved state continues.
#include "tessera/nn/optimizers/optimizers.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tessera/nn/linear.h"
#include "tessera/ops/ops.h"
#include "tests/nn/golden_file.h"
#include "tests/ops/expect.h"

namespace tessera::optimizers {
namespace {

using testing::expect_close;
using testing::GoldenFile;

constexpr int kSteps = 20;

const GoldenFile& golden() {
  static const GoldenFile file("optimizers");
  return file;
}

array at(const array& history, int step) {
  Shape start(history.ndim(), 0), stop = history.shape();
  start[0] = step;
  stop[0] = step + 1;
  return squeeze(slice(history, start, stop), 0);
}

Parameters gradients_of(int step, Dtype dtype = float32) {
  Parameters out;
  for (const auto& [name, history] : golden().below("gradient/")) {
    out.emplace(name, astype(at(history, step), dtype));
  }
  return out;
}

Parameters start(Dtype dtype = float32) {
  Parameters out = golden().below("start/");
  for (auto& [name, value] : out) value = astype(value, dtype);
  return out;
}

struct Case {
  const char* name;
  std::function<std::shared_ptr<Optimizer>()> make;
};

template <class O, class... Args>
Case make_case(const char* name, const Args&... args) {
  return {name, [=] { return std::make_shared<O>(args...); }};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      make_case<SGD>("sgd", 0.1),
      make_case<SGD>("sgd_momentum", 0.1, SGDOptions{.momentum = 0.9, .weight_decay = 0.01}),
      make_case<SGD>("sgd_dampening", 0.1, SGDOptions{.momentum = 0.8, .dampening = 0.3}),
      make_case<SGD>("sgd_nesterov", 0.1, SGDOptions{.momentum = 0.9, .nesterov = true}),
      make_case<SGD>("sgd_scheduled", cosine_decay(0.2, 15, 0.01)),
      make_case<RMSprop>("rmsprop", 0.01),
      make_case<RMSprop>("rmsprop_alpha", 0.01, RMSpropOptions{.alpha = 0.8, .eps = 1e-4}),
      make_case<Adagrad>("adagrad", 0.1),
      make_case<AdaDelta>("adadelta", 1.0),
      make_case<AdaDelta>("adadelta_rho", 0.5, AdaDeltaOptions{.rho = 0.7, .eps = 1e-3}),
      make_case<Adam>("adam", 0.01),
      make_case<Adam>("adam_corrected", 0.01,
                      AdamOptions{.betas = {0.8, 0.95}, .bias_correction = true}),
      make_case<AdamW>("adamw", 0.01, AdamWOptions{.weight_decay = 0.1}),
      make_case<AdamW>("adamw_corrected", linear_schedule(0.0, 0.02, 10),
                       AdamWOptions{.bias_correction = true}),
      make_case<Adamax>("adamax", 0.01),
      make_case<Lion>("lion", 0.01, LionOptions{.weight_decay = 0.1}),
      make_case<Lion>("lion_betas", 0.01, LionOptions{.betas = {0.8, 0.9}}),
      make_case<Adafactor>("adafactor"),
      make_case<Adafactor>("adafactor_rate", AdafactorOptions{.learning_rate = 0.01,
                                                              .beta_1 = 0.9,
                                                              .weight_decay = 0.1,
                                                              .scale_parameter = false,
                                                              .relative_step = false}),
      make_case<Adafactor>("adafactor_warmup",
                           AdafactorOptions{.clip_threshold = 0.5, .warmup_init = true}),
      make_case<Muon>("muon", 0.02),
      make_case<Muon>("muon_plain", 0.02,
                      MuonOptions{.weight_decay = 0.0, .nesterov = false, .ns_steps = 3}),
      {"multi",
       [] {
         std::vector<std::shared_ptr<Optimizer>> parts{std::make_shared<Muon>(0.02),
                                                       std::make_shared<AdamW>(0.01)};
         std::vector<MultiOptimizer::Filter> filters{
             [](const std::string&, const array& g) { return g.ndim() == 2; }};
         return std::make_shared<MultiOptimizer>(std::move(parts), std::move(filters));
       }},
      make_case<SGD>("sgd_f16", 0.1, SGDOptions{.momentum = 0.9}),
      make_case<Adam>("adam_f16", 0.01, AdamOptions{.eps = 1e-4}),
      make_case<AdamW>("adamw_f16", 0.01, AdamWOptions{.eps = 1e-4, .bias_correction = true}),
      make_case<Lion>("lion_f16", 0.01),
  };
  return all;
}

class OptimizerSteps : public ::testing::TestWithParam<Case> {};

TEST_P(OptimizerSteps, FollowMlx) {
  const std::string name = GetParam().name;
  const bool half = name.ends_with("_f16");
  const Dtype dtype = half ? float16 : float32;
  const std::shared_ptr<Optimizer> optimizer = GetParam().make();
  Parameters parameters = start(dtype);
  for (int step = 0; step < kSteps; ++step) {
    parameters = optimizer->apply_gradients(gradients_of(step, dtype), parameters);
    eval(parameters, optimizer->state());
    Parameters want = golden().below(name + "/");
    for (auto& [parameter, history] : want) history = at(history, step);
    // Newton-Schulz iterations magnify the rounding of sums of products.
    const bool orthogonal = name.starts_with("mu");
    expect_close(parameters, want,
                 half         ? 2e-3f
                 : orthogonal ? 2e-5f
                              : 2e-6f,
                 name + " step " + std::to_string(step));
  }
}

// What is saved after ten steps and loaded by another optimiser goes on as if nothing had happened.
TEST_P(OptimizerSteps, GoOnFromASavedStateBitForBit) {
  const std::string file = ::testing::TempDir() + "optimizer_" + GetParam().name + ".safetensors";
  const auto run = [&](Optimizer& optimizer, Parameters& parameters, int from, int to) {
    for (int step = from; step < to; ++step) {
      parameters = optimizer.apply_gradients(gradients_of(step), parameters);
      eval(parameters, optimizer.state());
    }
  };
  const std::shared_ptr<Optimizer> whole = GetParam().make();
  Parameters unbroken = start();
  run(*whole, unbroken, 0, kSteps);

  Parameters resumed = start();
  {
    const std::shared_ptr<Optimizer> first = GetParam().make();
    run(*first, resumed, 0, kSteps / 2);
    first->save_state(file);
  }
  const std::shared_ptr<Optimizer> second = GetParam().make();
  second->load_state(file);
  run(*second, resumed, kSteps / 2, kSteps);
  expect_close(resumed, unbroken, 0.0f, GetParam().name);
  expect_close(second->state(), whole->state(), 0.0f, GetParam().name);
  std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(, OptimizerSteps, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Optimizers, EveryGoldenTrajectoryIsFollowed) {
  std::set<std::string> names{"start", "gradient", "schedule"};
  for (const Case& c : cases()) names.insert(c.name);
  for (const std::string& name : golden().cases()) {
    EXPECT_TRUE(names.contains(name) || name.starts_with("clip.")) << name;
  }
}

TEST(Optimizers, LeaveParametersWithoutAGradientAlone) {
  SGD optimizer(0.5);
  const Parameters parameters{{"a", array({1.0f, 2.0f})}, {"b", array({3.0f})}};
  const Parameters next = optimizer.apply_gradients({{"a", array({1.0f, 1.0f})}}, parameters);
  EXPECT_EQ(next.size(), 1u);
  EXPECT_EQ(testing::values<float>(next.at("a")), (std::vector<float>{0.5f, 1.5f}));
}

TEST(Optimizers, UpdateAModelInPlace) {
  nn::Linear model(2, 1);
  model.update({{"weight", array({1.0f, 2.0f}, {1, 2})}, {"bias", array({0.5f})}});
  SGD optimizer(0.1);
  optimizer.update(model, {{"weight", ones({1, 2})}});
  const Parameters after = model.parameters();
  EXPECT_EQ(testing::values<float>(after.at("weight")), (std::vector<float>{0.9f, 1.9f}));
  EXPECT_EQ(testing::values<float>(after.at("bias")), (std::vector<float>{0.5f}));
}

TEST(Optimizers, CountStepsAndScheduleFromThem) {
  SGD optimizer(step_decay(1.0, 0.5, 2));
  const Parameters nothing;
  std::vector<float> rates;
  for (int i = 0; i < 5; ++i) {
    optimizer.apply_gradients(nothing, nothing);
    rates.push_back(optimizer.learning_rate().item<float>());
  }
  EXPECT_EQ(rates, (std::vector<float>{1, 1, 0.5f, 0.5f, 0.25f}));
  EXPECT_EQ(optimizer.step().item<std::uint64_t>(), 5u);
  optimizer.set_learning_rate(3.0);
  optimizer.apply_gradients(nothing, nothing);
  EXPECT_EQ(optimizer.learning_rate().item<float>(), 3.0f);
}

TEST(Optimizers, ShowTheirState) {
  Adam optimizer(0.01);
  EXPECT_EQ(optimizer.state().size(), 2u);
  optimizer.init({{"up.weight", zeros({2})}});
  std::vector<std::string> names;
  for (const auto& [name, value] : optimizer.state()) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"learning_rate", "step", "up.weight.m", "up.weight.v"}));
}

TEST(Optimizers, RefuseWhatDoesNotFit) {
  EXPECT_REFUSED(SGD(0.1, {.nesterov = true}), "nesterov");
  EXPECT_REFUSED(RMSprop(0.1, {.alpha = -1}), "alpha");
  EXPECT_REFUSED(Adagrad(0.1, 0.0), "eps");
  EXPECT_REFUSED(AdaDelta(0.1, {.rho = -0.1}), "rho");
  EXPECT_REFUSED(Adam(0.1, {.betas = {1.0, 0.9}}), "betas");
  EXPECT_REFUSED(Lion(0.1, {.betas = {0.9, -0.1}}), "betas");
  EXPECT_REFUSED(Adafactor({.relative_step = false}), "learning rate");
  EXPECT_REFUSED(MultiOptimizer({std::make_shared<SGD>(0.1)}, {{}}), "filters");
  SGD optimizer(0.1);
  EXPECT_REFUSED(optimizer.apply_gradients({{"a", zeros({2})}}, {}), "\"a\"");
  EXPECT_REFUSED(optimizer.apply_gradients({{"a", zeros({2})}}, {{"a", zeros({3})}}), "[3]");
  EXPECT_REFUSED(optimizer.set_state({}), "step");
  EXPECT_REFUSED(optimizer.set_state({{"step", array(1)}, {"weight", zeros({1})}}), "weight");
}

TEST(Schedules, FollowMlx) {
  const std::map<std::string, Schedule> schedules{
      {"exponential_decay", exponential_decay(0.1, 0.9)},
      {"step_decay", step_decay(0.1, 0.5, 7)},
      {"cosine_decay", cosine_decay(0.1, 30, 0.01)},
      {"linear_schedule", linear_schedule(0.02, 0.1, 25)},
      {"join_schedules", join_schedules({linear_schedule(0.0, 0.1, 10), cosine_decay(0.1, 15),
                                         exponential_decay(0.05, 0.8)},
                                        {10, 25})},
  };
  const Parameters want = golden().below("schedule/");
  ASSERT_EQ(want.size(), schedules.size());
  for (const auto& [name, schedule] : schedules) {
    std::vector<array> rates;
    for (std::uint64_t step = 0; step < 40; ++step) rates.push_back(schedule(array(step)));
    expect_close(stack(rates), want.at(name), 1e-6f, name);
  }
}

TEST(Schedules, RefuseNoSteps) {
  EXPECT_REFUSED(step_decay(0.1, 0.5, 0), "step_size");
  EXPECT_REFUSED(cosine_decay(0.1, 0), "decay_steps");
  EXPECT_REFUSED(linear_schedule(0.1, 0.5, -1), "steps");
  EXPECT_REFUSED(join_schedules({}, {}), "schedules");
  EXPECT_REFUSED(join_schedules({linear_schedule(0, 1, 1)}, {3}), "boundaries");
}

TEST(ClipGradNorm, ScalesAllGradientsTogether) {
  int checked = 0;
  for (const std::string& name : golden().cases()) {
    if (!name.starts_with("clip.")) continue;
    const auto max_norm = golden().get(name + "/max_norm").item<float>();
    const auto [clipped, norm] = clip_grad_norm(golden().below(name + "/in."), max_norm);
    expect_close(clipped, golden().below(name + "/out."), 1e-6f, name);
    expect_close(norm, golden().get(name + "/norm"), 1e-6f, name);
    ++checked;
  }
  EXPECT_EQ(checked, 4);
  EXPECT_REFUSED(clip_grad_norm({}, -1), "max_norm");
}

}  // namespace
}  // namespace tessera::optimizers

// Activations, losses and initialisers against MLX's results.
#include "tessera/nn/activations.h"

#include <gtest/gtest.h>

#include <functional>

#include "tessera/graph/transforms.h"
#include "tessera/nn/init.h"
#include "tessera/nn/losses.h"
#include "tessera/ops/ops.h"
#include "tests/nn/golden_file.h"
#include "tests/ops/expect.h"

namespace tessera::nn {
namespace {

using testing::expect_close;
using testing::GoldenFile;
using Function = std::function<array(const array&)>;

TEST(Activations, AreThoseOfMlx) {
  const std::map<std::string, Function> functions{
      {"celu", [](const array& x) { return celu(x, 1.3); }},
      {"elu", [](const array& x) { return elu(x, 0.7); }},
      {"gelu", GELU()},
      {"gelu_approx", GELU("tanh")},
      {"gelu_fast_approx", GELU("fast")},
      {"glu", GLU(0)},
      {"hard_shrink", HardShrink(0.4)},
      {"hard_tanh", [](const array& x) { return hard_tanh(x, -0.5, 1.5); }},
      {"hardswish", Hardswish()},
      {"leaky_relu", LeakyReLU(0.2)},
      {"log_sigmoid", LogSigmoid()},
      {"log_softmax", [](const array& x) { return nn::log_softmax(x, 0); }},
      {"mish", Mish()},
      {"prelu",
       [](const array& x) {
         return prelu(x, array({0.1f, 0.2f, 0.3f, 0.4f}, x.dtype()));
       }},
      {"relu", ReLU()},
      {"relu2", ReLU2()},
      {"relu6", ReLU6()},
      {"selu", SELU()},
      {"sigmoid", Sigmoid()},
      {"silu", SiLU()},
      {"softmax", Softmax()},
      {"softmin", Softmin()},
      {"softplus", Softplus()},
      {"softshrink", Softshrink(0.4)},
      {"softsign", Softsign()},
      {"step", Step(0.25)},
      {"tanh", Tanh()},
  };
  const GoldenFile golden("activations");
  ASSERT_EQ(golden.cases().size(), functions.size() + 2);  // the inputs and the weights, too
  for (const auto& [name, function] : functions) {
    for (const char* dtype : {"f32", "f16", "bf16"}) {
      // The half types round between the ops that a function is made of.
      const float tolerance = std::string(dtype) == "f32" ? 1e-6f : dtype[0] == 'f' ? 2e-3f : 2e-2f;
      expect_close(function(golden.get(std::string("x/") + dtype)), golden.get(name + "/" + dtype),
                   tolerance, name + " " + dtype);
    }
    if (name == "step") continue;
    const auto loss = [&](const array& x) {
      return sum(function(x) * golden.get("weight/" + name));
    };
    expect_close(grad(UnaryFn(loss))(golden.get("x/f32")), golden.get(name + "/grad"), 2e-6f,
                 name + " gradient");
  }
}

TEST(Activations, StayFiniteWhereExponentialsWouldNot) {
  const array far({-1e4f, 1e4f});
  EXPECT_EQ(testing::values<float>(softplus(far)), (std::vector<float>{0.0f, 1e4f}));
  EXPECT_EQ(testing::values<float>(log_sigmoid(far)), (std::vector<float>{-1e4f, 0.0f}));
  EXPECT_EQ(testing::values<float>(log_softmax(far)), (std::vector<float>{-2e4f, 0.0f}));
}

TEST(Activations, RefuseWhatTheyCannotDo) {
  EXPECT_REFUSED(GELU("loose"), "loose");
  EXPECT_REFUSED(glu(zeros({3})), "split");
}

class Losses : public ::testing::Test {
 protected:
  array in(const std::string& name, int i) const {
    return golden_.get(name + "/in." + std::to_string(i));
  }
  // fn(name, reduction) is the loss.
  template <class Fn>
  void check(const std::string& name, Fn fn) {
    expect_close(fn(name, Reduction::none), golden_.get(name + "/out.none"), 2e-6f, name);
    expect_close(fn(name, Reduction::mean), golden_.get(name + "/out.mean"), 2e-6f, name);
    expect_close(fn(name, Reduction::sum), golden_.get(name + "/out.sum"), 2e-6f, name);
    checked_.insert(name);
  }
  // A loss of two inputs with options that end in a reduction.
  template <class Options>
  void check(const std::string& name,
             array (*loss)(const array&, const array&, const Options& options), Options options) {
    check(name, [&](const std::string& n, Reduction reduction) {
      options.reduction = reduction;
      return loss(in(n, 0), in(n, 1), options);
    });
  }

  GoldenFile golden_{"losses"};
  std::set<std::string> checked_;
};

TEST_F(Losses, AreThoseOfMlx) {
  using namespace losses;
  check("cross_entropy", cross_entropy, CrossEntropyOptions{});
  check("cross_entropy_axis", cross_entropy, CrossEntropyOptions{.axis = 1});
  check("cross_entropy_probabilities", cross_entropy, CrossEntropyOptions{});
  check("cross_entropy_smooth", cross_entropy, CrossEntropyOptions{.label_smoothing = 0.2});
  check("cross_entropy_far", cross_entropy, CrossEntropyOptions{});
  check("cross_entropy_weights", cross_entropy,
        CrossEntropyOptions{.weights = in("cross_entropy_weights", 2)});
  check("binary_cross_entropy", binary_cross_entropy, BinaryCrossEntropyOptions{});
  check("binary_cross_entropy_probabilities", binary_cross_entropy,
        BinaryCrossEntropyOptions{.with_logits = false});
  check("binary_cross_entropy_weights", binary_cross_entropy,
        BinaryCrossEntropyOptions{.weights = in("binary_cross_entropy_weights", 2)});
  const auto two = [&](const std::string& name, auto loss) {
    check(name, [&](const std::string& n, Reduction r) { return loss(in(n, 0), in(n, 1), r); });
  };
  const auto three = [&](const std::string& name, auto loss) {
    check(name,
          [&](const std::string& n, Reduction r) { return loss(in(n, 0), in(n, 1), in(n, 2), r); });
  };
  two("l1_loss", l1_loss);
  two("mse_loss", mse_loss);
  two("nll_loss",
      [](const array& x, const array& t, Reduction r) { return nll_loss(x, t, -1, r); });
  two("nll_loss_axis",
      [](const array& x, const array& t, Reduction r) { return nll_loss(x, t, 0, r); });
  three("gaussian_nll_loss", [](const array& x, const array& t, const array& v, Reduction r) {
    return gaussian_nll_loss(x, t, v, {.reduction = r});
  });
  three("gaussian_nll_loss_full", [](const array& x, const array& t, const array& v, Reduction r) {
    return gaussian_nll_loss(x, t, v, {.full = true, .eps = 1e-3, .reduction = r});
  });
  two("kl_div_loss",
      [](const array& x, const array& t, Reduction r) { return kl_div_loss(x, t, -1, r); });
  two("kl_div_loss_axis",
      [](const array& x, const array& t, Reduction r) { return kl_div_loss(x, t, 0, r); });
  two("smooth_l1_loss",
      [](const array& x, const array& t, Reduction r) { return smooth_l1_loss(x, t, 0.8, r); });
  three("triplet_loss", [](const array& a, const array& p, const array& n, Reduction r) {
    return triplet_loss(a, p, n, {.reduction = r});
  });
  three("triplet_loss_options", [](const array& a, const array& p, const array& n, Reduction r) {
    return triplet_loss(a, p, n, {.axis = 0, .p = 3, .margin = 0.3, .eps = 1e-4, .reduction = r});
  });
  two("hinge_loss", hinge_loss);
  two("huber_loss",
      [](const array& x, const array& t, Reduction r) { return huber_loss(x, t, 0.7, r); });
  two("log_cosh_loss", log_cosh_loss);
  two("cosine_similarity_loss", [](const array& x, const array& t, Reduction r) {
    return cosine_similarity_loss(x, t, 1, 1e-8, r);
  });
  two("cosine_similarity_loss_axis", [](const array& x, const array& t, Reduction r) {
    return cosine_similarity_loss(x, t, 0, 1e-8, r);
  });
  three("margin_ranking_loss", [](const array& x, const array& y, const array& t, Reduction r) {
    return margin_ranking_loss(x, y, t, 0.2, r);
  });
  EXPECT_EQ(checked_, golden_.cases());
}

TEST_F(Losses, RefuseWhatDoesNotFit) {
  using namespace losses;
  const array logits = zeros({2, 3}), labels = zeros({2}, int32);
  EXPECT_REFUSED(cross_entropy(logits, zeros({3}, int32)), "[3]");
  EXPECT_REFUSED(cross_entropy(logits, zeros({2, 4})), "[2, 4]");
  EXPECT_REFUSED(cross_entropy(logits, labels, {.label_smoothing = 1.0}), "label_smoothing");
  EXPECT_REFUSED(cross_entropy(logits, labels, {.weights = ones({3})}), "weights");
  EXPECT_REFUSED(cross_entropy(logits, labels, {.axis = 2}), "axis");
  EXPECT_REFUSED(binary_cross_entropy(logits, zeros({3})), "[3]");
  EXPECT_REFUSED(l1_loss(logits, zeros({3})), "[3]");
  EXPECT_REFUSED(mse_loss(logits, zeros({3})), "[3]");
  EXPECT_REFUSED(smooth_l1_loss(logits, zeros({3})), "[3]");
  EXPECT_REFUSED(gaussian_nll_loss(logits, logits, zeros({3})), "[3]");
  EXPECT_REFUSED(margin_ranking_loss(logits, logits, zeros({3})), "[3]");
}

TEST(Initializers, GiveMlxsNumbersFromMlxsKey) {
  const GoldenFile golden("init");
  const std::map<std::string, Function> initializers{
      {"constant", init::constant(0.5, float16)},
      {"normal", init::normal(1.0, 0.5)},
      {"normal_half", init::normal(1.0, 0.5, bfloat16)},
      {"uniform", init::uniform(-2.0, 3.0)},
      {"identity", init::identity()},
      {"glorot_normal", init::glorot_normal()},
      {"glorot_normal_gain", [](const array& a) { return init::glorot_normal()(a, 2.0); }},
      {"glorot_uniform", init::glorot_uniform()},
      {"he_normal", init::he_normal()},
      {"he_normal_out", [](const array& a) { return init::he_normal()(a, init::Fan::out, 1.5); }},
      {"he_uniform", init::he_uniform()},
      {"he_uniform_out", [](const array& a) { return init::he_uniform()(a, init::Fan::out); }},
      {"sparse", init::sparse(0.4, 0.5, 2.0)},
      {"orthogonal", init::orthogonal(1.5)},
      {"orthogonal_wide", init::orthogonal()},
  };
  ASSERT_EQ(golden.cases().size(), initializers.size());
  for (const auto& [name, initializer] : initializers) {
    const array want = golden.get(name + "/out");
    random::seed(7);
    // MLX factorises in float32.
    const float tolerance = want.dtype() == bfloat16         ? 1e-2f
                            : name.starts_with("orthogonal") ? 5e-6f
                                                             : 1e-6f;
    expect_close(initializer(zeros(want.shape())), want, tolerance, name);
  }
}

TEST(Initializers, RefuseShapesTheyHaveNoRuleFor) {
  EXPECT_REFUSED(init::identity()(zeros({2, 3})), "square");
  EXPECT_REFUSED(init::identity()(zeros({2})), "matrix");
  EXPECT_REFUSED(init::glorot_uniform()(zeros({2})), "two axes");
  EXPECT_REFUSED(init::he_normal()(zeros({})), "two axes");
  EXPECT_REFUSED(init::sparse(0.5)(zeros({2})), "matrix");
  EXPECT_REFUSED(init::orthogonal()(zeros({2, 2, 2})), "matrix");
  EXPECT_REFUSED(init::sparse(1.5)(zeros({2, 2})), "sparsity");
}

}  // namespace
}  // namespace tessera::nn

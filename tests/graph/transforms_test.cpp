// Transforms of functions: that they nest, what they refuse, that they leave nothing behind.
#include "tessera/graph/transforms.h"

#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"

namespace tessera {
namespace {

std::vector<float> values(const array& a) {
  const array f = astype(a, float32);
  return std::vector<float>(f.data<float>(), f.data<float>() + f.size());
}
using Floats = std::vector<float>;

array cube_sum(const array& x) {
  return sum(x * x * x);
}

template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::internal, "test", "");
}

TEST(Transforms, GradientOfGradientOfGradient) {
  const UnaryFn f = [](const array& x) { return x * x * x * x; };
  const array x(2.0f);
  EXPECT_EQ(grad(f)(x).item<float>(), 32);
  EXPECT_EQ(grad(grad(f))(x).item<float>(), 48);
  EXPECT_EQ(grad(grad(grad(f)))(x).item<float>(), 48);
}

TEST(Transforms, HessianByVmapOfJvpOfGradient) {
  const UnaryFn f = cube_sum;
  const array x({1.0f, 2.0f, 3.0f});
  const UnaryFn column = [&](const array& t) { return jvp(grad(f), x, t).second; };
  const array unit({1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f}, {3, 3});
  EXPECT_EQ(values(vmap(column)(unit)), (Floats{6, 0, 0, 0, 12, 0, 0, 0, 18}));
}

TEST(Transforms, GradientForEachSample) {
  const array w({0.5f, -1.0f});
  const ScalarFn loss = [](const Arrays& in) { return square(sum(in[0] * in[1])); };
  const array samples({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}, {3, 2});
  const Arrays each = vmap(ArraysFn(grad(loss, 0)), {-1, 0})({w, samples});
  EXPECT_EQ(values(each[0]), (Floats{-3, -6, -15, -20, -35, -42}));
  // And the gradient of a function that is itself vectorised.
  const ScalarFn total = [&](const Arrays& in) {
    const ArraysFn one = [&](const Arrays& a) { return Arrays{loss(a)}; };
    return sum(vmap(one, {-1, 0})(in)[0]);
  };
  EXPECT_EQ(values(grad(total, 0)({w, samples})[0]), (Floats{-53, -68}));
}

TEST(Transforms, VmapMovesAxesInAndOut) {
  const array a({1, 2, 3, 4, 5, 6}, {2, 3}, int32);
  const UnaryFn doubled = [](const array& x) { return x + x; };
  EXPECT_EQ(values(vmap(doubled, 1, 1)(a)), (Floats{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(vmap(doubled, 1, 0)(a).shape(), (Shape{3, 2}));
  const BinaryFn outer = [](const array& x, const array& y) { return x * y; };
  EXPECT_EQ(values(vmap(outer, 0, -1)(array({1, 2}), array({3, 4}))), (Floats{3, 4, 6, 8}));
  // Nested: every pair.
  const BinaryFn inner = vmap(outer, -1, 0);
  EXPECT_EQ(values(vmap(inner, 0, -1)(array({1, 2}), array({3, 4, 5}))),
            (Floats{3, 4, 5, 6, 8, 10}));
  const UnaryFn constant = [](const array&) { return array(7.0f); };
  EXPECT_EQ(values(vmap(constant)(a)), (Floats{7, 7}));
}

TEST(Transforms, FunctionMayLookAtItsValues) {
  const UnaryFn f = [](const array& x) {
    const array y = x * x;
    return y.item<float>() > 3 ? y * x : y;  // evaluates in the middle
  };
  EXPECT_EQ(grad(f)(array(2.0f)).item<float>(), 12);
  EXPECT_EQ(grad(f)(array(1.0f)).item<float>(), 2);
  EXPECT_EQ(grad(grad(f))(array(2.0f)).item<float>(), 12);
  EXPECT_EQ(jvp(f, array(2.0f), array(1.0f)).second.item<float>(), 12);
}

TEST(Transforms, ArgumentsThatVmapStandsInForHaveNoValue) {
  const UnaryFn f = [](const array& x) { return x.item<float>() > 0 ? x : -x; };
  const Error e = error_of([&] { vmap(f)(array({1.0f, 2.0f})); });
  EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
  EXPECT_NE(std::string(e.what()).find("vmap"), std::string::npos);
  EXPECT_EQ(values(array({1.0f}) + 1.0f), Floats{2});  // and the process goes on
}

TEST(Transforms, StopGradientIsAConstantToDerivatives) {
  const UnaryFn f = [](const array& x) { return x * stop_gradient(x); };
  EXPECT_EQ(grad(f)(array(3.0f)).item<float>(), 3);
  EXPECT_EQ(jvp(f, array(3.0f), array(1.0f)).second.item<float>(), 3);
  EXPECT_EQ(f(array(3.0f)).item<float>(), 9);
}

TEST(Transforms, UnusedArgumentsHaveZeroGradients) {
  const ScalarFn f = [](const Arrays& in) { return sum(in[0]); };
  const Arrays found = grad(f, {0, 1})({ones({2}), ones({3})});
  EXPECT_EQ(values(found[0]), (Floats{1, 1}));
  EXPECT_EQ(values(found[1]), (Floats{0, 0, 0}));
}

TEST(Transforms, ValuesBesideTheLossAreCarriedAlong) {
  const ArraysFn f = [](const Arrays& in) { return Arrays{sum(in[0] * in[1]), in[0] + 1.0f}; };
  const auto [found, gradients] = value_and_grad(f, {1})({ones({2}), array({3.0f, 4.0f})});
  EXPECT_EQ(found[0].item<float>(), 7);
  EXPECT_EQ(values(found[1]), (Floats{2, 2}));
  EXPECT_EQ(values(gradients[0]), (Floats{1, 1}));
}

TEST(Transforms, SameArrayTwiceIsTwoArguments) {
  const ScalarFn f = [](const Arrays& in) { return in[0] * in[0] * in[1]; };
  const array x(3.0f);
  const Arrays found = grad(f, {0, 1})({x, x});
  EXPECT_EQ(found[0].item<float>(), 18);
  EXPECT_EQ(found[1].item<float>(), 9);
}

TEST(Transforms, CustomVjpReplacesTheRuleAndKeepsTheValue) {
  const ArraysFn f = custom_vjp([](const Arrays& in) { return Arrays{in[0] * 2.0f}; },
                                [](const Arrays&, const Arrays& ct, const Arrays& out) {
                                  return Arrays{ct[0] * out[0] * 10.0f};
                                });
  const ScalarFn loss = [&](const Arrays& in) { return sum(f(in)[0]); };
  EXPECT_EQ(values(f({array({1.0f, 2.0f})})[0]), (Floats{2, 4}));
  EXPECT_EQ(values(grad(loss)({array({1.0f, 2.0f})})[0]), (Floats{20, 40}));
  // Also over a batch, inside and outside.
  const array batch({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
  EXPECT_EQ(values(vmap(ArraysFn(grad(loss)))({batch})[0]), (Floats{20, 40, 60, 80}));
  const ScalarFn batched = [&](const Arrays& in) { return sum(vmap(f)(in)[0]); };
  EXPECT_EQ(values(grad(batched)({batch})[0]), (Floats{20, 40, 60, 80}));
}

TEST(Transforms, CustomFunctionTakesItsOwnForwardAndBatchRules) {
  bool batched = false;
  const ArraysFn f =
      custom_function([](const Arrays& in) { return Arrays{in[0] * in[1]}; }, std::nullopt,
                      [](const Arrays&, const Arrays& t, const std::vector<int>& argnums) {
                        EXPECT_EQ(argnums, std::vector<int>{0});
                        return Arrays{t[0] * 100.0f};
                      },
                      [&](const Arrays& in, const std::vector<int>& axes) {
                        batched = true;
                        EXPECT_EQ(axes, (std::vector<int>{0, -1}));
                        return std::pair(Arrays{in[0] * in[1]}, std::vector<int>{0});
                      });
  const ArraysFn first = [&](const Arrays& in) { return f({in[0], array(5.0f)}); };
  EXPECT_EQ(jvp(first, {array(2.0f)}, {array(1.0f)}).second[0].item<float>(), 100);
  EXPECT_EQ(values(vmap(f, {0, -1})({array({1.0f, 2.0f}), array(3.0f)})[0]), (Floats{3, 6}));
  EXPECT_TRUE(batched);
}

TEST(Transforms, CheckpointComputesAgainInTheGradient) {
  int calls = 0;
  const ArraysFn layer = [&](const Arrays& in) {
    ++calls;
    return Arrays{sin(exp(in[0]))};
  };
  const auto loss_of = [](const ArraysFn& f) {
    return ScalarFn([f](const Arrays& in) { return sum(f(f(in))[0]); });
  };
  const array x({0.1f, 0.2f});
  const Floats plain = values(grad(loss_of(layer))({x})[0]);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(values(grad(loss_of(checkpoint(layer)))({x})[0]), plain);
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(values(grad(ScalarFn([&](const Arrays& in) {
              return sum(grad(loss_of(checkpoint(layer)))(in)[0]);
            }))({x})[0])
                .size(),
            2u);  // twice differentiable
}

TEST(Transforms, DependsKeepsValuesAndGradients) {
  const ScalarFn f = [](const Arrays& in) { return sum(depends({in[0] * 2.0f}, {exp(in[0])})[0]); };
  EXPECT_EQ(values(grad(f)({ones({2})})[0]), (Floats{2, 2}));
}

TEST(Transforms, SayWhatIsWrong) {
  const UnaryFn vector = [](const array& x) { return x * 2.0f; };
  EXPECT_EQ(error_of([&] { grad(vector)(ones({3})); }).code(), ErrorCode::invalid_argument);
  EXPECT_NE(std::string(error_of([&] { grad(vector)(ones({3})); }).what()).find("[3]"),
            std::string::npos);
  EXPECT_EQ(error_of([&] {
              grad(UnaryFn(cube_sum))(array({1, 2}));
            }).code(),
            ErrorCode::unsupported_dtype);
  const ScalarFn scalar = [](const Arrays& in) { return sum(in[0]); };
  EXPECT_EQ(error_of([&] { grad(scalar, 1)({ones({2})}); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] {
              grad(scalar, {0, 0})({ones({2})});
            }).code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { grad(scalar, std::vector<int>{})({ones({2})}); }).code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { vjp(vector, ones({3}), ones({2})); }).code(), ErrorCode::shape_mismatch);
  EXPECT_EQ(error_of([&] { jvp(vector, ones({3}), ones({2})); }).code(), ErrorCode::shape_mismatch);
  const BinaryFn both = [](const array& a, const array& b) { return a + b; };
  const Error sizes = error_of([&] { vmap(both)(ones({3}), ones({4})); });
  EXPECT_EQ(sizes.code(), ErrorCode::shape_mismatch);
  EXPECT_EQ(error_of([&] { vmap(both, 1, 0)(ones({3}), ones({3})); }).code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([&] { vmap(both, -1, -1)(ones({3}), ones({3})); }).code(),
            ErrorCode::invalid_argument);
  const ArraysFn bad =
      custom_vjp([](const Arrays& in) { return in; },
                 [](const Arrays&, const Arrays&, const Arrays&) { return Arrays{}; });
  const ScalarFn uses_bad = [&](const Arrays& in) { return sum(bad(in)[0]); };
  EXPECT_EQ(error_of([&] { grad(uses_bad)({ones({2})}); }).code(), ErrorCode::invalid_argument);
  EXPECT_EQ(grad(UnaryFn(cube_sum))(array(1.0f)).item<float>(), 3);  // and works on
}

TEST(Transforms, AnErrorInTheFunctionLeavesNothingBehind) {
  const UnaryFn f = [](const array& x) -> array {
    eval(x * 2.0f);
    throw Error(ErrorCode::internal, "test", "on purpose");
  };
  EXPECT_EQ(error_of([&] { grad(f)(array(1.0f)); }).code(), ErrorCode::internal);
  const array y = array(1.0f) * 2.0f;
  y.eval();
  EXPECT_EQ(y.state_ptr().use_count(), 1);
  EXPECT_EQ(grad(UnaryFn(cube_sum))(array(2.0f)).item<float>(), 12);
}

TEST(Transforms, MemoryIsFlatOverAThousandSteps) {
  const BackendPtr backend = cpu_backend();
  const array x = astype(arange(64), float32) * 0.01f;
  array w = ones({64}) * 0.5f;
  eval(x, w);
  const ScalarFn loss = [&](const Arrays& in) {
    const array y = tanh(in[0] * x);
    eval(y);  // looked at on the way: its node must not stay
    return mean(square(y - 1.0f));
  };
  const auto step = value_and_grad(loss);
  std::uint64_t active = 0, live = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto [value, gradients] = step({w});
    w = w - 0.1f * gradients[0];
    eval(w, value);
    const MemoryInfo now = memory(backend);
    if (i == 2) active = now.active_bytes, live = now.live_tensors;
    if (i > 2) {
      ASSERT_EQ(now.active_bytes, active) << i;
      ASSERT_EQ(now.live_tensors, live) << i;
    }
  }
}

TEST(Transforms, ADeepGraphNeedsNoDeepStack) {
  const UnaryFn f = [](const array& x) {
    array y = x;
    for (int i = 0; i < 50000; ++i) y = y + 1e-6f;
    return y * y;
  };
  EXPECT_NEAR(grad(f)(array(1.0f)).item<float>(), 2.1f, 0.01f);
}

}  // namespace
}  // namespace tessera

// compile: results equal to the function's bit for bit, traces that are shared and remade, fewer
// bytes moved, and what it refuses.
#include "tessera/graph/compile.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

#include "tessera/backend/backend.h"
#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/ops.h"
#include "tests/ops/expect.h"

namespace tessera {
namespace {

Arrays uniform(std::initializer_list<Shape> shapes, Dtype dtype = float32) {
  Arrays made;
  std::uint64_t seed = 11;
  for (const Shape& shape : shapes) {
    made.push_back(astype(random::uniform(-2, 2, shape, float32, random::key(seed++)), dtype));
    made.back().eval();
  }
  return made;
}

void expect_same_bits(const array& got, const array& want) {
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  EXPECT_EQ(std::memcmp(got.to_host().data(), want.to_host().data(), want.nbytes()), 0)
      << got << "\n  is not\n"
      << want;
}

/// Compiled and plain, on the first call and on a replay.
void expect_exact(const ArraysFn& fun, const Arrays& inputs) {
  const ArraysFn compiled = compile(fun);
  const Arrays want = fun(inputs);
  for (int call = 0; call < 2; ++call) {
    const Arrays got = compiled(inputs);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
  }
}

std::uint64_t moved_bytes(const ArraysFn& fun, const Arrays& inputs) {
  eval(fun(inputs));  // traces
  const std::uint64_t before = current_backend()->memory().moved_bytes;
  eval(fun(inputs));
  return current_backend()->memory().moved_bytes - before;
}

/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), op by op, after a bias.
Arrays biased_gelu(const Arrays& in) {
  const array x = in[0] + in[1];
  return {0.5f * x * (1.0f + tanh(0.7978845608f * (x + 0.044715f * x * x * x)))};
}

Arrays layer_norm_by_ops(const Arrays& in) {
  const array centred = in[0] - mean(in[0], -1, true);
  const array variance = mean(square(centred), -1, true);
  return {centred * rsqrt(variance + 1e-5f) * in[1] + in[2]};
}

/// (parameter, gradient, m, v) -> (parameter, m, v)
Arrays adam(const Arrays& in) {
  const array m = 0.9f * in[2] + 0.1f * in[1];
  const array v = 0.999f * in[3] + 0.001f * square(in[1]);
  return {in[0] - 0.01f * m / (sqrt(v) + 1e-8f), m, v};
}

TEST(Compile, GivesTheSameBits) {
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    expect_exact(biased_gelu, uniform({{70, 129}, {129}}, dtype));
    expect_exact(biased_gelu, uniform({{3, 5, 7, 33}, {5, 1, 33}}, dtype));
    expect_exact(layer_norm_by_ops, uniform({{40, 257}, {257}, {257}}, dtype));
    expect_exact(layer_norm_by_ops, uniform({{4, 9, 65}, {65}, {65}}, dtype));
    expect_exact(adam, uniform({{2049}, {2049}, {2049}, {2049}}, dtype));
    expect_exact(adam, uniform({{300, 17}, {300, 17}, {300, 17}, {300, 17}}, dtype));
  }
}

TEST(Compile, GivesTheSameBitsOfWhatIsNotContiguous) {
  const Arrays x = uniform({{129, 70}, {129}});
  const array turned = transpose(x[0]);
  const array cut = slice(x[0], {0, 3}, {129, 70}, {2, 1});
  const array spread = broadcast_to(x[1], {70, 129});
  eval(turned, cut, spread);
  expect_exact(biased_gelu, {turned, x[1]});
  expect_exact(biased_gelu, {cut, uniform({{67}})[0]});
  expect_exact(biased_gelu, {spread, turned + 0.0f});
  expect_exact([](const Arrays& in) { return Arrays{exp(-in[0]) * 2.0f}; }, {spread});
  expect_exact(layer_norm_by_ops, {turned, x[1], x[1]});
  expect_exact([](const Arrays& in) { return Arrays{sum(abs(in[0]) + 1.0f, 1, true)}; }, {spread});
}

TEST(Compile, GivesTheSameBitsOfIntegersBoolAndMixedDtypes) {
  const array i = reshape(arange(0, 4200), {60, 70});
  const array j = i % 7 - 3;
  eval(i, j);
  expect_exact(
      [](const Arrays& in) {
        const array odd = in[0] % 2 == 1;
        return Arrays{where(odd && in[1] > 0, in[0] * in[1], in[0] - in[1]), odd,
                      sum(in[0] * in[1], -1, true), astype(in[0], float32) / in[1]};
      },
      {i, j});
}

TEST(Compile, RandomGraphsGiveTheSameBits) {
  std::mt19937 random(5);
  const auto pick = [&](std::size_t n) { return random() % n; };
  for (int round = 0; round < 40; ++round) {
    const auto program_seed = static_cast<std::mt19937::result_type>(random());
    const Shape shape = pick(2) ? Shape{37, 65} : Shape{5, 9, 130};
    const ArraysFn fun = [&](const Arrays& in) {
      std::mt19937 choose(program_seed);
      Arrays values = in;
      for (int step = 0; step < 24; ++step) {
        const array& a = values[choose() % values.size()];
        const array& b = values[choose() % values.size()];
        switch (choose() % 9) {
          case 0: values.push_back(a + b); break;
          case 1: values.push_back(a * b); break;
          case 2: values.push_back(tanh(a) - b); break;
          case 3: values.push_back(maximum(a, b)); break;
          case 4: values.push_back(where(a > b, a, b * 0.5f)); break;
          case 5: values.push_back(a - mean(b, -1, true)); break;
          case 6: values.push_back(a * rsqrt(sum(square(b), -1, true) + 1.0f)); break;
          case 7: values.push_back(sigmoid(transpose(transpose(a)))); break;
          default: values.push_back(max(a, -1, true)); break;
        }
      }
      return Arrays(values.end() - 4, values.end());
    };
    Shape row(shape.size(), 1);
    row.back() = shape.back();
    Shape column = shape;
    column.back() = 1;
    SCOPED_TRACE(::testing::Message() << "program " << program_seed);
    expect_exact(fun, uniform({shape, row, column}));
  }
}

TEST(Compile, MovesFewerBytes) {
  const auto check = [](const char* name, const ArraysFn& fun, const Arrays& inputs, double times) {
    const std::uint64_t plain = moved_bytes(fun, inputs);
    const std::uint64_t fused = moved_bytes(compile(fun), inputs);
    EXPECT_GE(static_cast<double>(plain), times * static_cast<double>(fused))
        << name << ": " << plain << " bytes op by op, " << fused << " fused";
    ::testing::Test::RecordProperty(name, std::to_string(plain) + " to " + std::to_string(fused));
  };
  check("gelu", biased_gelu, uniform({{512, 1024}, {1024}}), 3);
  check("layer norm", layer_norm_by_ops, uniform({{512, 1024}, {1024}, {1024}}), 3);
  check("adam", adam, uniform({{512, 512}, {512, 512}, {512, 512}, {512, 512}}), 3);
}

TEST(Compile, PeakMemoryIsNoHigher) {
  const auto peak = [](const ArraysFn& fun) {
    const Arrays inputs = uniform({{512, 1024}, {1024}});
    eval(fun(inputs));
    current_backend()->reset_peak_memory();
    const std::uint64_t before = current_backend()->memory().active_bytes;
    eval(fun(inputs));
    return current_backend()->memory().peak_bytes - before;
  };
  EXPECT_LE(peak(compile(ArraysFn(biased_gelu))), peak(biased_gelu));
}

TEST(Compile, TracesOnceForEachSignature) {
  int traces = 0;
  const ArraysFn fun = compile([&](const Arrays& in) {
    ++traces;
    return Arrays{exp(in[0]) + 1.0f};
  });
  eval(fun(uniform({{40, 50}})));
  eval(fun(uniform({{40, 50}})));
  EXPECT_EQ(traces, 1);
  eval(fun(uniform({{41, 50}})));
  EXPECT_EQ(traces, 2);
  eval(fun(uniform({{41, 50}}, float16)));
  EXPECT_EQ(traces, 3);
  eval(fun(uniform({{40, 50}})));
  EXPECT_EQ(traces, 3);
}

TEST(Compile, ShapelessTracesOnceForEachRank) {
  int traces = 0;
  const ArraysFn fun = [&](const Arrays& in) {
    ++traces;
    return layer_norm_by_ops(in);
  };
  const ArraysFn compiled = compile(fun, true);
  for (const int rows : {40, 9, 1, 70}) {
    const Arrays in = uniform({{rows, 65}, {65}, {65}});
    expect_same_bits(compiled(in)[0], layer_norm_by_ops(in)[0]);
  }
  EXPECT_EQ(traces, 1);
  const Arrays wider = uniform({{40, 129}, {129}, {129}});
  expect_same_bits(compiled(wider)[0], layer_norm_by_ops(wider)[0]);
  eval(compiled(uniform({{3, 40, 65}, {65}, {65}})));
  EXPECT_EQ(traces, 2);
}

TEST(Compile, NestsWithDerivatives) {
  const Arrays in = uniform({{40, 65}, {65}});
  const ScalarFn loss = [](const Arrays& a) { return sum(biased_gelu(a)[0]); };
  const ArraysFn compiled = compile(ArraysFn(biased_gelu));
  const ScalarFn loss_of_compiled = [&](const Arrays& a) { return sum(compiled(a)[0]); };
  const Arrays want = grad(loss, {0, 1})(in);
  const Arrays inside = grad(loss_of_compiled, {0, 1})(in);
  const Arrays outside = compile(ArraysFn(grad(loss, {0, 1})))(in);
  const Arrays both = compile(ArraysFn(grad(loss_of_compiled, {0, 1})))(in);
  for (std::size_t i = 0; i < want.size(); ++i) {
    expect_same_bits(inside[i], want[i]);
    expect_same_bits(outside[i], want[i]);
    expect_same_bits(both[i], want[i]);
  }
  const UnaryFn square_tanh = [](const array& x) { return square(tanh(x)); };
  expect_same_bits(compile(UnaryFn(vmap(
                       grad(UnaryFn([&](const array& x) { return sum(square_tanh(x)); })))))(in[0]),
                   vmap(grad(UnaryFn([&](const array& x) { return sum(square_tanh(x)); })))(in[0]));
  expect_same_bits(vmap(compile(square_tanh))(in[0]), square_tanh(in[0]));
  expect_same_bits(jvp(compile(square_tanh), in[0], in[0]).second,
                   jvp(square_tanh, in[0], in[0]).second);
}

TEST(Compile, AFunctionThatUsesAnotherTransformsArgumentStaysPartOfIt) {
  const array x = uniform({{40, 65}})[0];
  const UnaryFn loss = [](const array& w) {
    const UnaryFn times_w = compile(UnaryFn([&](const array& y) { return y * w; }));
    return sum(times_w(ones({40, 65})) * w);
  };
  expect_same_bits(grad(loss)(x), 2.0f * x);
}

TEST(Compile, CapturedArraysAreConstants) {
  array scale(2.0f);
  const UnaryFn fun = compile(UnaryFn([&](const array& x) { return x * scale; }));
  EXPECT_EQ(fun(array(3.0f)).item<float>(), 6.0f);
  scale = array(5.0f);
  EXPECT_EQ(fun(array(3.0f)).item<float>(), 6.0f);
}

TEST(Compile, ReturnsArgumentsAndConstantsAsTheyAre) {
  const ArraysFn fun = compile([](const Arrays& in) {
    return Arrays{in[1], in[0], full({3}, array(7.0f)), copy(in[0])};
  });
  const Arrays in = uniform({{4}, {5}});
  const Arrays out = fun(in);
  expect_same_bits(out[0], in[1]);
  expect_same_bits(out[1], in[0]);
  expect_same_bits(out[2], full({3}, array(7.0f)));
  expect_same_bits(out[3], in[0]);
}

TEST(Compile, SimplifiesWhatIsThereTwiceOrDoesNothing) {
  const ArraysFn fun = compile([](const Arrays& in) {
    const array a = matmul(in[0], in[0]);
    const array b = matmul(transpose(transpose(in[0])), in[0] * 1.0f);
    return Arrays{a, reshape(reshape(b, {4, 25}), {10, 10})};
  });
  const Arrays out = fun(uniform({{10, 10}}));
  EXPECT_EQ(out[0].id(), out[1].id());
}

TEST(Compile, TellsZeroFromMinusZeroAndPowersApart) {
  const ArraysFn fun = [](const Arrays& in) {
    return Arrays{in[0] * 0.0f, in[0] * -0.0f,       in[0] + 0.0f,
                  in[0] - 0.0f, sum(in[0], 0, true), sum(in[0], 0, false)};
  };
  expect_exact(fun, {array({0.0f, -0.0f, 1.0f, -1.0f})});
}

TEST(Compile, EvaluatingWhatIsTracedIsRefused) {
  const UnaryFn fun = compile(UnaryFn([](const array& x) { return x.item<float>() > 0 ? x : -x; }));
  EXPECT_REFUSED(fun(array(1.0f)), "tracing");
  EXPECT_REFUSED(fun(array(1.0f)), "tracing");  // and nothing is left behind
  EXPECT_EQ((array(1.0f) + 1.0f).item<float>(), 2.0f);
}

TEST(Compile, ErrorsOfTheFunctionComeThrough) {
  const ArraysFn fun = compile([](const Arrays& in) { return Arrays{exp(in[0]) + exp(in[1])}; });
  EXPECT_REFUSED(fun(uniform({{40, 50}, {41, 50}})), "[40, 50]");
  EXPECT_EQ(fun(uniform({{40, 50}, {40, 50}}))[0].shape(), (Shape{40, 50}));
}

TEST(Compile, ModesAreObeyed) {
  int calls = 0;
  const ArraysFn fun = compile([&](const Arrays& in) {
    ++calls;
    return biased_gelu(in);
  });
  const Arrays in = uniform({{40, 65}, {65}});
  const array want = biased_gelu(in)[0];
  for (const CompileMode mode : {CompileMode::no_simplify, CompileMode::no_fuse}) {
    set_compile_mode(mode);
    expect_same_bits(fun(in)[0], want);
  }
  disable_compile();
  calls = 0;
  expect_same_bits(fun(in)[0], want);
  expect_same_bits(fun(in)[0], want);
  EXPECT_EQ(calls, 2);
  enable_compile();
  expect_same_bits(fun(in)[0], want);
}

TEST(Compile, ThreadsShareAFunction) {
  const ArraysFn fun = compile(ArraysFn(biased_gelu));
  const Arrays in = uniform({{64, 129}, {129}});
  const array want = biased_gelu(in)[0];
  want.eval();
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const array got = fun(in)[0];
        right += std::memcmp(got.to_host().data(), want.to_host().data(), want.nbytes()) == 0;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, 80);
}

TEST(Compile, MemoryIsFlat) {
  const ArraysFn fun = compile(ArraysFn(adam));
  Arrays state = uniform({{300, 17}, {300, 17}, {300, 17}, {300, 17}});
  const array gradient = state[1];
  std::uint64_t live = 0;
  for (int step = 0; step < 50; ++step) {
    Arrays next = fun(state);
    eval(next);
    state = {next[0], gradient, next[1], next[2]};
    next.clear();
    if (step == 5) live = current_backend()->memory().active_bytes;
  }
  EXPECT_EQ(current_backend()->memory().active_bytes, live);
}

}  // namespace
}  // namespace tessera

// When ops run, how often, in what memory, and what happens when one fails.
#include "tessera/graph/eval.h"

#include <gtest/gtest.h>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/ops/ops.h"
#include "tests/support/recording_backend.h"

namespace tessera {
namespace {

using testing::RecordingBackend;

std::vector<float> values(const array& a) {
  const auto v = a.to_host().values<float>();
  return {v.begin(), v.end()};
}

ErrorCode code_of(const std::function<void()>& call, std::string* message = nullptr) {
  try {
    call();
  } catch (const Error& e) {
    if (message) *message = e.what();
    return e.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::internal;
}

TEST(Eval, NothingRunsBeforeAValueIsAskedFor) {
  const auto backend = std::make_shared<RecordingBackend>();
  const BackendScope scope(backend);
  const array a({1.0f, 2.0f});
  const array b = exp(a) + 1.0f;
  EXPECT_TRUE(backend->ran().empty());
  EXPECT_FALSE(b.is_available());
  EXPECT_EQ(b.shape(), Shape{2});
  b.eval();
  EXPECT_TRUE(b.is_available());
  EXPECT_EQ(backend->ran(), (std::vector<std::string>{"exp", "add"}));
  b.eval();
  EXPECT_EQ(backend->ran().size(), 2u);
}

TEST(Eval, ASharedSubgraphRunsOnce) {
  const auto backend = std::make_shared<RecordingBackend>();
  const BackendScope scope(backend);
  const array shared = exp(array({0.0f, 1.0f}));
  const array left = shared * 2.0f;
  const array right = shared + shared;
  eval(left, right, left * right);
  EXPECT_EQ(backend->count("exp"), 1);
  EXPECT_EQ(values(left), values(right));
  EXPECT_TRUE(shared.is_available());
}

TEST(Eval, OnlyWhatAnOutputNeedsRuns) {
  const auto backend = std::make_shared<RecordingBackend>();
  const BackendScope scope(backend);
  const array a = exp(array(1.0f));
  const array unused = tanh(a);
  (a + 1.0f).eval();
  EXPECT_EQ(backend->count("tanh"), 0);
  EXPECT_EQ(values(unused), std::vector<float>{std::tanh(std::exp(1.0f))});
}

constexpr int kLong = 200000;

array long_chain() {
  array a(0.0f);
  for (int i = 0; i < kLong; ++i) a = a + 1.0f;
  return a;
}

TEST(Eval, AChainOfManyNodesEvaluates) {
  EXPECT_EQ(long_chain().item<float>(), float(kLong));
}

TEST(Eval, AChainOfManyNodesDiesUnevaluated) {
  const std::uint64_t before = memory().live_tensors;
  { const array chain = long_chain(); }
  EXPECT_EQ(memory().live_tensors, before);
}

TEST(Eval, ALadderOfSharedNodesDiesUnevaluated) {
  // Each step uses the one before twice: 2^1000 paths, 1000 nodes.
  array a(1.0f);
  for (int i = 0; i < 1000; ++i) a = (a + a) * 0.5f;
  { const array copy = a; }
  EXPECT_EQ(a.item<float>(), 1.0f);
}

TEST(Eval, EvaluatingManyOutputsRunsEachOnce) {
  const auto backend = std::make_shared<RecordingBackend>();
  const BackendScope scope(backend);
  const array a(3.0f);
  std::vector<array> outputs;
  for (int i = 0; i < 10; ++i) outputs.push_back(a * float(i));
  outputs.push_back(outputs[3]);
  outputs.push_back(a);
  eval(outputs);
  EXPECT_EQ(backend->count("multiply"), 10);
  EXPECT_EQ(outputs[9].item<float>(), 27.0f);
}

// --- Errors ---

TEST(EvalErrors, NameTheOpAndStay) {
  const BackendPtr backend = make_backend("cpu", {.threads = 1});
  const BackendScope scope(backend);
  const std::uint64_t before = memory().live_tensors;
  {
    const array table({1.0f, 2.0f, 3.0f});
    const array index({0, 9});
    const array good = table * 2.0f;
    const array bad = take(table, index, 0);
    const array after = exp(bad + 1.0f);
    std::string first, second, direct;
    EXPECT_EQ(code_of([&] { eval(good, after); }, &first), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of([&] { after.eval(); }, &second), ErrorCode::invalid_argument);
    EXPECT_EQ(code_of([&] { bad.eval(); }, &direct), ErrorCode::invalid_argument);
    EXPECT_EQ(first, second);
    EXPECT_EQ(first, direct);
    EXPECT_NE(first.find("take"), std::string::npos) << first;
    EXPECT_NE(first.find("9"), std::string::npos) << first;
    EXPECT_FALSE(after.is_available());
    // Everything else goes on.
    EXPECT_EQ(values(good), (std::vector<float>{2, 4, 6}));
    EXPECT_EQ(values(take(table, array({2, 0}), 0)), (std::vector<float>{3, 1}));
    EXPECT_EQ(code_of([&] { (bad * 2.0f).eval(); }, &second), ErrorCode::invalid_argument);
    EXPECT_EQ(first, second);
  }
  EXPECT_EQ(memory().live_tensors, before);
  EXPECT_EQ(memory().active_bytes, 0u);
}

TEST(EvalErrors, WorkBehindTheFailureInTheSameCallCanStillRun) {
  const array a({1.0f, 2.0f});
  const array bad = take(a, array({5}), 0);
  const array later = a + 10.0f;
  EXPECT_EQ(code_of([&] { eval(bad, later); }), ErrorCode::invalid_argument);
  EXPECT_EQ(values(later), (std::vector<float>{11, 12}));
}

TEST(EvalErrors, IndicesOutOfRangeAreFoundInEveryIntegerType) {
  const array a({1.0f, 2.0f, 3.0f});
  for (const Dtype dtype : {int8, int16, int32, int64, uint8, uint16, uint32, uint64}) {
    EXPECT_EQ(code_of([&] { take(a, array(3, dtype), 0).eval(); }), ErrorCode::invalid_argument);
    EXPECT_EQ(take(a, array(2, dtype), 0).item<float>(), 3.0f);
    if (issubdtype(dtype, Dtype::Category::unsignedinteger)) continue;
    EXPECT_EQ(code_of([&] { take(a, array(-4, dtype), 0).eval(); }), ErrorCode::invalid_argument);
    EXPECT_EQ(take(a, array(-3, dtype), 0).item<float>(), 1.0f);
  }
  const array matrix = reshape(arange(0, 6), {2, 3});
  EXPECT_EQ(code_of([&] {
              take_along_axis(matrix, array({0, 2}, {2, 1}), 0).eval();
            }),
            ErrorCode::invalid_argument);
  for (const bool lowered : {false, true}) {
    std::optional<LoweredScope> scope;
    if (lowered) scope.emplace();
    // 3 is a place inside the flattened matrix, but not on this axis.
    const array past = take_along_axis(matrix, array({3, 0}, {2, 1}), 1);
    EXPECT_EQ(code_of([&] { past.eval(); }), ErrorCode::invalid_argument) << lowered;
  }
}

TEST(EvalErrors, AnOpOfTwoBackendsNamesBoth) {
  const auto one = std::make_shared<RecordingBackend>("one");
  const auto two = std::make_shared<RecordingBackend>("two");
  const array a(HostTensor::from<float>(std::vector<float>{1, 2}, Shape{2}), one);
  const array b(HostTensor::from<float>(std::vector<float>{3, 4}, Shape{2}), two);
  std::string message;
  EXPECT_EQ(code_of([&] { a + b; }, &message), ErrorCode::backend_mismatch);
  for (const char* part : {"add", "\"one\"", "\"two\"", "to_backend"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(values(a + to_backend(b, one)), (std::vector<float>{4, 6}));
}

TEST(EvalErrors, TwoInstancesOfOneBackendDoNotMixEither) {
  const array a(HostTensor::from<float>(std::vector<float>{1}, Shape{1}), make_backend("cpu"));
  std::string message;
  EXPECT_EQ(code_of([&] { a + array({1.0f}); }, &message), ErrorCode::backend_mismatch);
  EXPECT_NE(message.find("another instance of \"cpu\""), std::string::npos) << message;
}

TEST(EvalErrors, ARequiredOpWithoutAKernelIsRefusedByName) {
  const auto backend = std::make_shared<RecordingBackend>();
  backend->lack<Exp>();
  const BackendScope scope(backend);
  std::string message;
  EXPECT_EQ(code_of([&] { exp(array(1.0f)).eval(); }, &message), ErrorCode::unsupported_op);
  EXPECT_NE(message.find("exp"), std::string::npos) << message;
  EXPECT_NE(message.find("recording"), std::string::npos) << message;
}

TEST(EvalErrors, AnOpWithoutAKernelRunsItsLoweringOnItsOwnBackend) {
  const auto backend = std::make_shared<RecordingBackend>();
  backend->lack<Softmax>();
  backend->lack<LogSumExp>();
  backend->lack<CumSum>();
  // No scope: what the lowerings create must follow the inputs, not this thread.
  const array x(HostTensor::from<float>(std::vector<float>{0, 1, 2, 3}, Shape{4}), backend);
  EXPECT_EQ(values(cumsum(x, 0)), (std::vector<float>{0, 1, 3, 6}));
  EXPECT_FLOAT_EQ(sum(softmax(x)).item<float>(), 1.0f);
  EXPECT_FLOAT_EQ(logsumexp(x).item<float>(), 3.4401897f);
  EXPECT_EQ(backend->count("softmax"), 0);
  EXPECT_GT(backend->count("exp"), 0);
}

TEST(EvalErrors, AnErrorInsideALoweringNamesTheOpThatWasCalled) {
  const auto backend = std::make_shared<RecordingBackend>();
  backend->lack<QuantizedEmbedding>();
  const array packed(HostTensor({4, 34}, uint8), backend);
  const array ids(HostTensor::from<std::int32_t>(std::vector<std::int32_t>{7}, Shape{1}), backend);
  std::string message;
  EXPECT_EQ(
      code_of([&] { quantized_embedding(ids, packed, QuantType::q8_0, 32).eval(); }, &message),
      ErrorCode::invalid_argument);
  EXPECT_EQ(message.find("quantized_embedding"), 0u) << message;
}

// --- Backends ---

TEST(Backends, ScalarsAndCreatedPartsFollowTheArrayTheyMeet) {
  const BackendPtr other = make_backend("cpu", {.threads = 1});
  const array x(HostTensor::from<float>(std::vector<float>{1, 2, 3, 4}, Shape{1, 1, 2, 2}), other);
  const array y = 2.0f * (x + 1) / 4.0f - 0.5f;
  EXPECT_EQ(y.backend(), other);
  EXPECT_EQ(values(y), (std::vector<float>{0.5f, 1, 1.5f, 2}));
  EXPECT_EQ(sum(pad(x, {{0, 0}, {0, 0}, {1, 1}, {0, 0}})).item<float>(), 10.0f);
  EXPECT_EQ(values(softmax(x, std::vector<int>{})), std::vector<float>(4, 1.0f));
  EXPECT_EQ(fast::rope(x, 2, false, 10000.0f, 1.0f, 3).backend(), other);
  EXPECT_EQ(logsumexp(x).backend(), other);
  const LoweredScope lowered;
  EXPECT_EQ(values(abs(-x)), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values(reciprocal(x * 2)), (std::vector<float>{0.5f, 0.25f, 1.0f / 6, 0.125f}));
  EXPECT_EQ(values(take_along_axis(x, to_backend(zeros({1, 1, 2, 1}, int32), other), 3)),
            (std::vector<float>{1, 3}));
}

TEST(Backends, CopiesMoveBetweenBackends) {
  const BackendPtr other = make_backend("cpu", {.threads = 1});
  const array a = transpose(reshape(arange(0, 6), {2, 3}));
  const array b = to_backend(a, other);
  EXPECT_EQ(b.backend(), other);
  EXPECT_EQ(b.shape(), (Shape{3, 2}));
  EXPECT_EQ(b.to_host().values<int>()[1], 3);
  EXPECT_EQ(to_backend(b, other).id(), b.id());
}

}  // namespace
}  // namespace tessera

// Sessions and batches on a trained tiny model: reuse, chunks, stops, cancellation, bad logits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tessera/backend/registry.h"
#include "tessera/core/error.h"
#include "tessera/models/load.h"
#include "tessera/ops/ops.h"
#include "tessera/text/generate.h"
#include "tests/support/goldens.h"

namespace tessera {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = testing::shared_data("stories260K.gguf");
    if (!path) GTEST_SKIP() << "stories260K.gguf is not in ../shared/data or TESSERA_TEST_DATA";
    loaded_ = load(path->string());
  }
  std::vector<std::int32_t> encode(const std::string& text) const {
    return loaded_.tokenizer->encode(text);
  }
  Session session() const { return Session(*loaded_.model, *loaded_.tokenizer); }

  LoadedModel loaded_;
};

ErrorCode code_of(const std::function<void()>& call, std::string* message = nullptr) {
  try {
    call();
  } catch (const Error& e) {
    if (message) *message = e.what();
    return e.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::internal;
}

TEST_F(SessionTest, StreamedTextEqualsTheWhole) {
  Session s = session();
  std::string streamed;
  const GenerateResult r =
      s.generate(encode("Once upon a time"), {.max_tokens = 60}, [&](const GeneratedToken& t) {
        streamed += t.text;
        return true;
      });
  EXPECT_EQ(streamed, r.text);
  EXPECT_EQ(r.ids.size(), 60u);
  EXPECT_EQ(r.finish_reason, FinishReason::length);
  EXPECT_EQ(r.text, loaded_.tokenizer->decode(r.ids, true));
}

TEST_F(SessionTest, SecondTurnRunsOnlyWhatIsNewAndGivesTheSame) {
  std::vector<std::int32_t> prompt = encode("Once upon a time, there was a little dog");
  Session s = session();
  const GenerateResult first = s.generate(prompt, {.max_tokens = 20});
  EXPECT_EQ(first.timings.reused_tokens, 0);
  std::vector<std::int32_t> longer = prompt;
  longer.insert(longer.end(), first.ids.begin(), first.ids.end());
  const std::vector<std::int32_t> more =
      loaded_.tokenizer->encode("Then", {.add_special_tokens = false});
  longer.insert(longer.end(), more.begin(), more.end());
  const GenerateResult second = s.generate(longer, {.max_tokens = 20});
  // All of the first turn but its last token, which was never run.
  EXPECT_EQ(second.timings.reused_tokens, std::int64_t(prompt.size() + first.ids.size() - 1));
  EXPECT_EQ(second.ids, session().generate(longer, {.max_tokens = 20}).ids);

  // A prompt that turns off earlier keeps the common part only.
  std::vector<std::int32_t> other(prompt.begin(), prompt.begin() + 4);
  other.push_back(300);
  const GenerateResult third = s.generate(other, {.max_tokens = 10});
  EXPECT_EQ(third.timings.reused_tokens, 4);
  EXPECT_EQ(third.ids, session().generate(other, {.max_tokens = 10}).ids);

  // The same prompt again runs its last token.
  const GenerateResult fourth = s.generate(other, {.max_tokens = 10});
  EXPECT_EQ(fourth.timings.reused_tokens, std::int64_t(other.size()) - 1);
  EXPECT_EQ(fourth.ids, third.ids);
}

TEST_F(SessionTest, ChunksOfThePromptChangeNothingAndReportProgress) {
  const std::vector<std::int32_t> prompt =
      encode("Once upon a time, there was a little girl named Lily");
  const auto whole = session().generate(prompt, {.max_tokens = 30}).ids;
  for (std::int64_t chunk : {1, 2, 5, 100}) {
    std::uint64_t done = 0;
    GenerateOptions options{.max_tokens = 30, .prefill_chunk = chunk};
    options.progress = [&](const Progress& p) {
      EXPECT_GT(p.done, done);
      done = p.done;
      EXPECT_EQ(p.total, prompt.size());
    };
    EXPECT_EQ(session().generate(prompt, options).ids, whole);
    EXPECT_EQ(done, prompt.size());
  }
}

TEST_F(SessionTest, RaggedBatchGivesWhatEachPromptGivesAlone) {
  std::vector<std::vector<std::int32_t>> prompts = {encode("Once upon a time"), encode("Tom"),
                                                    encode("The little cat sat on the mat and")};
  const auto batch =
      generate_batch(*loaded_.model, *loaded_.tokenizer, prompts, {.max_tokens = 40});
  ASSERT_EQ(batch.size(), 3u);
  for (std::size_t r = 0; r < prompts.size(); ++r) {
    EXPECT_EQ(batch[r].ids, session().generate(prompts[r], {.max_tokens = 40}).ids) << r;
  }
}

TEST_F(SessionTest, SeededSamplingRepeatsAndDiffersBetweenSeeds) {
  GenerateOptions options{.max_tokens = 40};
  options.sampling = {.temperature = 1.0f, .top_p = 0.95f, .seed = 7};
  const auto prompt = encode("Once");
  const auto a = session().generate(prompt, options).ids;
  EXPECT_EQ(a, session().generate(prompt, options).ids);
  options.sampling.seed = 8;
  EXPECT_NE(a, session().generate(prompt, options).ids);
}

TEST_F(SessionTest, StopStringEndsTheTextBeforeIt) {
  const auto prompt = encode("Once upon a time");
  const std::string whole = session().generate(prompt, {.max_tokens = 60}).text;
  const std::string stop = whole.substr(whole.size() / 2, 7);
  GenerateOptions options{.max_tokens = 60, .stop = {stop}};
  std::string streamed;
  const auto r = session().generate(prompt, options, [&](const GeneratedToken& t) {
    streamed += t.text;
    return true;
  });
  EXPECT_EQ(r.finish_reason, FinishReason::stop_string);
  EXPECT_EQ(r.text, whole.substr(0, whole.find(stop)));
  EXPECT_EQ(streamed, r.text);
}

TEST_F(SessionTest, CallbackAndStopTokenEndIt) {
  const auto prompt = encode("Once upon a time");
  int seen = 0;
  const auto r = session().generate(prompt, {.max_tokens = 60},
                                    [&](const GeneratedToken&) { return ++seen < 5; });
  EXPECT_EQ(r.finish_reason, FinishReason::cancelled);
  EXPECT_EQ(r.ids.size(), 5u);

  std::stop_source source;
  GenerateOptions options{.max_tokens = 60, .stop_token = source.get_token()};
  const auto stopped = session().generate(prompt, options, [&](const GeneratedToken& t) {
    if (t.step == 9) source.request_stop();
    return true;
  });
  EXPECT_EQ(stopped.finish_reason, FinishReason::cancelled);
  EXPECT_EQ(stopped.ids.size(), 10u);
  // Asked to stop before it began: no tokens, and the session works on.
  Session s = session();
  EXPECT_EQ(s.generate(prompt, options).finish_reason, FinishReason::cancelled);
  EXPECT_EQ(s.generate(prompt, {.max_tokens = 3}).ids.size(), 3u);
}

TEST_F(SessionTest, LogprobsAreThoseOfTheDistribution) {
  GenerateOptions options{.max_tokens = 8, .logprobs = true, .top_logprobs = 3};
  Session s = session();
  const auto prompt = encode("Once upon a time");
  const auto r = s.generate(prompt, options);
  ASSERT_EQ(r.logprobs.size(), r.ids.size());
  const std::vector<float> logits = session().logits(prompt);
  double total = 0;
  for (float l : logits) total += std::exp(double(l));
  EXPECT_NEAR(r.logprobs[0], logits[r.ids[0]] - std::log(total), 1e-4);
  ASSERT_EQ(r.top_logprobs[0].size(), 3u);
  EXPECT_EQ(r.top_logprobs[0][0].id, r.ids[0]);
  EXPECT_GE(r.top_logprobs[0][0].logprob, r.top_logprobs[0][1].logprob);
}

TEST_F(SessionTest, NonFiniteLogitsEndOneRowAndLeaveTheOther) {
  const std::vector<std::vector<std::int32_t>> prompts = {encode("Once upon"), encode("Tom and")};
  const auto healthy =
      generate_batch(*loaded_.model, *loaded_.tokenizer, prompts, {.max_tokens = 12});
  GenerateOptions options{.max_tokens = 12};
  int passes = 0;
  const int last = static_cast<int>(loaded_.model->num_layers()) - 1;
  options.hook = [&](int layer, const array& h) {
    if (layer != last || ++passes != 4) return h;
    // Row 0 turns to NaN in the fourth pass.
    const array nan = full({1, h.shape(1), h.shape(2)}, array(NAN));
    return concatenate({nan, slice(h, {1, 0, 0}, h.shape())}, 0);
  };
  const auto r = generate_batch(*loaded_.model, *loaded_.tokenizer, prompts, options);
  EXPECT_EQ(r[0].finish_reason, FinishReason::error);
  std::string message;
  EXPECT_EQ(code_of([&] { std::rethrow_exception(r[0].error); }, &message), ErrorCode::internal);
  EXPECT_NE(message.find("non-finite logits at step 3"), std::string::npos) << message;
  EXPECT_EQ(r[0].ids.size(), 3u);
  EXPECT_EQ(r[1].ids, healthy[1].ids);
}

TEST_F(SessionTest, NonFiniteLogitsLeaveNothingInTheCache) {
  Session s = session();
  const auto prompt = encode("Once upon a time");
  const auto healthy = session().generate(prompt, {.max_tokens = 10}).ids;
  GenerateOptions options{.max_tokens = 10};
  options.hook = [](int, const array& h) { return h * INFINITY; };
  EXPECT_EQ(code_of([&] { s.generate(prompt, options); }), ErrorCode::internal);
  EXPECT_TRUE(s.tokens().empty());
  EXPECT_EQ(s.cache().length(), 0);
  EXPECT_EQ(s.generate(prompt, {.max_tokens = 10}).ids, healthy);
}

TEST_F(SessionTest, BadRequestsAreErrorsByName) {
  Session s = session();
  const auto prompt = encode("Once");
  std::string message;
  EXPECT_EQ(code_of([&] { s.generate({}); }), ErrorCode::invalid_argument);
  const std::vector<std::int32_t> outside = {1, 99999};
  EXPECT_EQ(code_of([&] { s.generate(outside); }, &message), ErrorCode::invalid_argument);
  EXPECT_NE(message.find("99999"), std::string::npos);
  const std::vector<std::int32_t> negative = {-1};
  EXPECT_EQ(code_of([&] { s.generate(negative); }), ErrorCode::invalid_argument);
  const std::vector<std::int32_t> long_prompt(loaded_.model->max_positions() + 1, 5);
  EXPECT_EQ(code_of([&] { s.generate(long_prompt); }), ErrorCode::invalid_argument);
  GenerateOptions options;
  options.sampling.top_p = 1.5f;
  EXPECT_EQ(code_of([&] { s.generate(prompt, options); }, &message), ErrorCode::invalid_argument);
  EXPECT_NE(message.find("top_p"), std::string::npos);
  options = {.stop = {""}};
  EXPECT_EQ(code_of([&] { s.generate(prompt, options); }), ErrorCode::invalid_argument);
  options = {};
  options.sampler = [](std::span<float>, std::span<const std::int32_t>) { return 1 << 20; };
  EXPECT_EQ(code_of([&] { s.generate(prompt, options); }), ErrorCode::invalid_argument);
  EXPECT_EQ(s.generate(prompt, {.max_tokens = 3}).ids.size(), 3u);
}

TEST_F(SessionTest, TheContextIsFilledAndThenItEnds) {
  const std::int64_t context = loaded_.model->max_positions();
  const std::vector<std::int32_t> prompt(context - 3, 5);
  const auto r = session().generate(prompt, {.max_tokens = 100, .ignore_end = true});
  EXPECT_EQ(r.finish_reason, FinishReason::length);
  EXPECT_EQ(r.ids.size(), 4u);  // the last needs no place of its own
}

TEST_F(SessionTest, MemoryIsFlatOver2000DecodedTokens) {
  const auto prompt = encode("Once upon a time");
  GenerateOptions options{.max_tokens = 400, .ignore_end = true};
  Session s = session();
  std::optional<MemoryInfo> first;
  for (int round = 0; round < 6; ++round) {
    s.generate(prompt, options);
    s.reset();
    const MemoryInfo now = memory(loaded_.backend);
    if (!first) first = now;
    EXPECT_EQ(now.active_bytes, first->active_bytes) << "round " << round;
    EXPECT_EQ(now.live_tensors, first->live_tensors) << "round " << round;
  }
}

}  // namespace
}  // namespace tessera

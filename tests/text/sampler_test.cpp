#include "tessera/text/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "tessera/core/error.h"
#include "tessera/core/half.h"
#include "tessera/text/internal/counter_rng.h"

namespace tessera {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<float> kLogits = {0.5f, -1.2f, 3.1f, 0.8f, -0.3f, 2.7f, -0.9f, 1.4f};

std::int32_t sample_once(Sampler& sampler, std::vector<float> logits,
                         std::span<const std::int32_t> history = {}) {
  return sampler.sample(logits, history);
}

/// How often each token comes in `draws` draws.
std::vector<int> histogram(SamplingOptions options, const std::vector<float>& logits, int draws,
                           std::span<const std::int32_t> history = {}) {
  Sampler sampler(std::move(options));
  std::vector<int> counts(logits.size());
  for (int i = 0; i < draws; ++i) {
    ++counts[static_cast<std::size_t>(sample_once(sampler, logits, history))];
  }
  return counts;
}

std::string refused_parameter(const SamplingOptions& options) {
  try {
    const Sampler sampler(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.where();
  }
  return "none";
}

std::string refusal(SamplingOptions options, std::vector<float> logits) {
  Sampler sampler(std::move(options));
  try {
    sampler.sample(logits, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CounterRng, IsSplitMix64) {
  EXPECT_EQ(random_bits(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(random_bits(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(random_bits(1234567, 2), 9817491932198370423u);
  EXPECT_LT(random_unit(~std::uint64_t{0}, 77), 1.0);
}

TEST(Sampler, TemperatureZeroTakesTheGreatestEveryTime) {
  EXPECT_EQ(histogram({.temperature = 0}, kLogits, 100)[2], 100);
  EXPECT_EQ(
      histogram({.temperature = 0, .top_k = 5, .top_p = 0.9f, .min_p = 0.1f}, kLogits, 100)[2],
      100);
}

TEST(Sampler, GreedyTakesTheLowestIdOfEqualLogits) {
  Sampler sampler({.temperature = 0});
  EXPECT_EQ(sample_once(sampler, {1, 3, 2, 3, 3}), 1);
  EXPECT_EQ(sample_once(sampler, {0, 0, 0}), 0);
}

TEST(Sampler, TopPZeroTakesTheGreatest) {
  EXPECT_EQ(histogram({.top_p = 0}, kLogits, 100)[2], 100);
  Sampler sampler({.top_p = 0});
  EXPECT_EQ(sample_once(sampler, {1, 3, 2, 3}), 1);
}

TEST(Sampler, TinyTopPTakesTheGreatestAtEveryPrecision) {
  std::vector<float> logits(4096);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    logits[i] = static_cast<float>(random_unit(3, i) * 4 - 2);
  }
  logits[1234] = 2.5f;
  std::vector<float> f16 = logits;
  for (float& x : f16) x = static_cast<float>(float16_t(x));
  std::vector<float> bf16 = logits;
  for (float& x : bf16) x = static_cast<float>(bfloat16_t(x));
  for (float top_p : {1e-8f, 1e-7f, 1e-4f}) {
    for (const auto& row : {logits, f16, bf16}) {
      EXPECT_EQ(histogram({.temperature = 0.8f, .top_p = top_p}, row, 20)[1234], 20) << top_p;
    }
  }
}

TEST(Sampler, TopKZeroOrAboveTheVocabularyChangesNothing) {
  const auto plain = histogram({.seed = 5}, kLogits, 2000);
  EXPECT_EQ(histogram({.top_k = 0, .seed = 5}, kLogits, 2000), plain);
  EXPECT_EQ(histogram({.top_k = 8, .seed = 5}, kLogits, 2000), plain);
  EXPECT_EQ(histogram({.top_k = 100000, .seed = 5}, kLogits, 2000), plain);
  EXPECT_NE(histogram({.top_k = 2, .seed = 5}, kLogits, 2000), plain);
}

TEST(Sampler, RepetitionPenaltyIsAppliedOncePerTokenAndAwayFromIt) {
  Sampler sampler({.temperature = 0, .repetition_penalty = 1.5f});
  std::vector<float> logits = {2, -1, 0.5f};
  const std::vector<std::int32_t> history = {0, 1, 1, 0};
  sampler.sample(logits, history);
  EXPECT_FLOAT_EQ(logits[0], 1.3333334f);
  EXPECT_FLOAT_EQ(logits[1], -1.5f);
  EXPECT_FLOAT_EQ(logits[2], 0.5f);
}

TEST(Sampler, PresenceCountsOnceAndFrequencyEachTime) {
  Sampler sampler({.temperature = 0, .presence_penalty = 0.5f, .frequency_penalty = 0.25f});
  std::vector<float> logits = {1, 1, 1};
  sampler.sample(logits, std::vector<std::int32_t>{0, 0, 0, 1, 99, -4});
  EXPECT_FLOAT_EQ(logits[0], 1 - 0.5f - 0.75f);
  EXPECT_FLOAT_EQ(logits[1], 1 - 0.5f - 0.25f);
  EXPECT_FLOAT_EQ(logits[2], 1);
}

TEST(Sampler, PenaltiesSeeOnlyTheLastN) {
  const std::vector<std::int32_t> history = {0, 1, 2};
  for (const auto& [last_n, penalized] : std::map<int, int>{{-1, 3}, {0, 0}, {2, 2}, {9, 3}}) {
    Sampler sampler({.temperature = 0, .presence_penalty = 1, .penalty_last_n = last_n});
    std::vector<float> logits = {0, 0, 0, 0};
    sampler.sample(logits, history);
    EXPECT_EQ(std::count(logits.begin(), logits.end(), -1.0f), penalized) << last_n;
    EXPECT_EQ(logits[0] == -1, penalized == 3);
  }
}

TEST(Sampler, BiasComesBeforeThePenaltyAndBansWithMinusInfinity) {
  Sampler sampler(
      {.temperature = 0, .repetition_penalty = 2, .logit_bias = {{0, 3.0f}, {2, -kInf}}});
  std::vector<float> logits = {1, 1, 9};
  EXPECT_EQ(sampler.sample(logits, std::vector<std::int32_t>{0}), 0);
  EXPECT_FLOAT_EQ(logits[0], 2);  // (1 + 3) / 2
  EXPECT_EQ(logits[2], -kInf);
}

TEST(Sampler, ABiasBeyondTheVocabularyIsAnError) {
  EXPECT_NE(refusal({.logit_bias = {{8, 1.0f}}}, kLogits).find("beyond the vocabulary of 8"),
            std::string::npos);
}

TEST(Sampler, NamesTheParameterOutOfItsRange) {
  EXPECT_EQ(refused_parameter({}), "none");
  EXPECT_EQ(refused_parameter({.temperature = -0.1f}), "temperature");
  EXPECT_EQ(refused_parameter({.temperature = kNan}), "temperature");
  EXPECT_EQ(refused_parameter({.temperature = kInf}), "temperature");
  EXPECT_EQ(refused_parameter({.top_k = -1}), "top_k");
  EXPECT_EQ(refused_parameter({.top_p = 1.01f}), "top_p");
  EXPECT_EQ(refused_parameter({.top_p = -0.1f}), "top_p");
  EXPECT_EQ(refused_parameter({.top_p = kNan}), "top_p");
  EXPECT_EQ(refused_parameter({.min_p = 2}), "min_p");
  EXPECT_EQ(refused_parameter({.repetition_penalty = 0}), "repetition_penalty");
  EXPECT_EQ(refused_parameter({.repetition_penalty = kNan}), "repetition_penalty");
  EXPECT_EQ(refused_parameter({.presence_penalty = kInf}), "presence_penalty");
  EXPECT_EQ(refused_parameter({.frequency_penalty = kNan}), "frequency_penalty");
  EXPECT_EQ(refused_parameter({.penalty_last_n = -2}), "penalty_last_n");
  EXPECT_EQ(refused_parameter({.logit_bias = {{-1, 0.0f}}}), "logit_bias");
  EXPECT_EQ(refused_parameter({.logit_bias = {{1, kInf}}}), "logit_bias");
  EXPECT_EQ(refused_parameter({.logit_bias = {{1, kNan}}}), "logit_bias");
}

TEST(Sampler, NonFiniteLogitsEndTheRequestWithTheStep) {
  for (float temperature : {0.0f, 1.0f}) {
    for (const auto& row : {std::vector<float>{1, kNan, 3}, std::vector<float>{kNan, kNan},
                            std::vector<float>{1, kInf, 2}}) {
      EXPECT_NE(refusal({.temperature = temperature}, row).find("non-finite logits at step 0"),
                std::string::npos);
    }
    EXPECT_NE(refusal({.temperature = temperature}, {-kInf, -kInf}).find("no token allowed"),
              std::string::npos);
    Sampler sampler({.temperature = temperature});
    EXPECT_EQ(sample_once(sampler, {-kInf, -kInf, 5}), 2);
    EXPECT_EQ(sample_once(sampler, {-kInf, 4, -kInf}), 1);
    // A row that failed changes nothing for the next.
    EXPECT_THROW(sample_once(sampler, {kNan}), Error);
    EXPECT_EQ(sampler.step(), 2u);
    EXPECT_EQ(sample_once(sampler, {-kInf, 4, -kInf}), 1);
  }
  EXPECT_NE(refusal({.logit_bias = {{0, -kInf}}}, {1}).find("no token allowed"), std::string::npos);
  EXPECT_NE(refusal({}, {}).find("logits"), std::string::npos);
}

TEST(Sampler, TheSameSeedGivesTheSameTokensFromAnyStep) {
  Sampler first({.seed = 11});
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < 50; ++i) tokens.push_back(sample_once(first, kLogits));
  Sampler second({.seed = 11});
  second.set_step(30);
  for (int i = 30; i < 50; ++i) EXPECT_EQ(sample_once(second, kLogits), tokens[i]);
  Sampler other({.seed = 12});
  std::vector<std::int32_t> others;
  for (int i = 0; i < 50; ++i) others.push_back(sample_once(other, kLogits));
  EXPECT_NE(others, tokens);
}

TEST(Sampler, TheSameSeedGivesTheseTokensOnEveryMachine) {
  Sampler sampler({.temperature = 0.9f, .top_p = 0.95f, .seed = 2024});
  std::string tokens;
  for (int i = 0; i < 24; ++i) tokens += static_cast<char>('0' + sample_once(sampler, kLogits));
  EXPECT_EQ(tokens, "522253252225552572522522");
}

TEST(Sampler, ExtremeTemperaturesStayInRange) {
  EXPECT_EQ(histogram({.temperature = 1e-6f}, kLogits, 50)[2], 50);
  EXPECT_EQ(histogram({.temperature = 1e-40f}, kLogits, 50)[2], 50);
  const auto flat = histogram({.temperature = 1e30f}, kLogits, 8000);
  for (int count : flat) EXPECT_NEAR(count, 1000, 150);
}

TEST(Sampler, ProcessorsRunAfterThePenaltiesAndSeeTheHistory) {
  std::vector<std::int32_t> seen;
  const LogitsProcessor only_last = [&seen](std::span<float> logits,
                                            std::span<const std::int32_t> history) {
    seen.assign(history.begin(), history.end());
    EXPECT_FLOAT_EQ(logits[0], 1);  // halved before
    std::fill(logits.begin(), logits.end() - 1, -kInf);
  };
  Sampler sampler({.repetition_penalty = 2}, {only_last});
  EXPECT_EQ(sample_once(sampler, {2, 5, 1}, std::vector<std::int32_t>{0}), 2);
  EXPECT_EQ(seen, std::vector<std::int32_t>{0});
}

TEST(Sampler, IsASamplerFunctionItself) {
  SamplerFunction function = Sampler({.temperature = 0});
  std::vector<float> logits = kLogits;
  EXPECT_EQ(function(logits, {}), 2);
  function = [](std::span<float> row, std::span<const std::int32_t>) {
    return static_cast<std::int32_t>(row.size()) - 1;
  };
  EXPECT_EQ(function(logits, {}), 7);
}

TEST(Sampler, LogprobsAreTheModelsOwn) {
  Sampler sampler({.temperature = 0, .logit_bias = {{7, 10.0f}}});
  std::vector<float> logits = kLogits;
  const SampledToken token = sampler.sample_with_logprobs(logits, {}, 3);
  double sum = 0;
  for (float x : kLogits) sum += std::exp(static_cast<double>(x));
  EXPECT_EQ(token.id, 7);
  EXPECT_NEAR(token.logprob, 1.4 - std::log(sum), 1e-5);
  ASSERT_EQ(token.top.size(), 3u);
  EXPECT_EQ(token.top[0].id, 2);
  EXPECT_NEAR(token.top[0].logprob, 3.1 - std::log(sum), 1e-5);
  EXPECT_EQ(token.top[1].id, 5);
  EXPECT_EQ(token.top[2].id, 7);
  EXPECT_EQ(sampler.sample_with_logprobs(logits = kLogits, {}, 99).top.size(), 8u);
  EXPECT_THROW(sampler.sample_with_logprobs(logits = kLogits, {}, -1), Error);
}

/// Upper bound of chi-square that chance passes about once in a million (Wilson and Hilferty).
double chi_square_limit(int degrees) {
  const double k = degrees;
  return k * std::pow(1 - 2 / (9 * k) + 4.75 * std::sqrt(2 / (9 * k)), 3);
}

TEST(Sampler, DrawsFromTheDistributionOfTransformers) {
  std::ifstream file(TESSERA_GOLDENS "/sampling.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["cases"].size(), 40u);
  constexpr int kDraws = 20000;
  for (const auto& test : golden["cases"]) {
    SCOPED_TRACE(test["options"].dump() + " on row " + test["row"].dump());
    const auto logits = golden["rows"][test["row"].get<std::size_t>()].get<std::vector<float>>();
    const auto& chosen = test["options"];
    SamplingOptions options;
    options.temperature = chosen.value("temperature", 1.0f);
    options.top_k = chosen.value("top_k", 0);
    options.top_p = chosen.value("top_p", 1.0f);
    options.min_p = chosen.value("min_p", 0.0f);
    options.repetition_penalty = chosen.value("repetition_penalty", 1.0f);
    options.seed = 7;
    const auto history = golden["history"].get<std::vector<std::int32_t>>();
    const auto counts = histogram(options, logits, kDraws, history);
    const auto expected = test["probabilities"].get<std::vector<double>>();
    double chi_square = 0;
    double rare_expected = 0;
    double rare_count = 0;
    int cells = 0;
    const auto add_cell = [&](double count, double mean) {
      chi_square += (count - mean) * (count - mean) / mean;
      ++cells;
    };
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double mean = expected[i] * kDraws;
      if (mean == 0) {
        EXPECT_EQ(counts[i], 0) << "token " << i;
      } else if (mean < 5) {
        rare_expected += mean;
        rare_count += counts[i];
      } else {
        add_cell(counts[i], mean);
      }
    }
    if (rare_expected > 0) add_cell(rare_count, rare_expected);
    if (cells > 1) {
      EXPECT_LT(chi_square, chi_square_limit(cells - 1));
    }
  }
}

TEST(Sampler, SelectsFromALargeVocabularyAsFromASmallOne) {
  // The same eight logits spread through a vocabulary of banned and hopeless tokens.
  std::vector<float> large(262144, -kInf);
  for (std::size_t i = 0; i < large.size(); i += 3) large[i] = -200;
  for (std::size_t i = 0; i < kLogits.size(); ++i) large[i * 32000 + 17] = kLogits[i];
  const std::vector<SamplingOptions> all = {{.seed = 3},
                                            {.top_k = 3, .seed = 3},
                                            {.top_k = 1000, .top_p = 0.8f, .seed = 3},
                                            {.top_p = 0.7f, .seed = 3},
                                            {.min_p = 0.2f, .seed = 3}};
  for (const SamplingOptions& options : all) {
    Sampler small_sampler(options);
    Sampler large_sampler(options);
    for (int i = 0; i < 20; ++i) {
      const std::int32_t small_id = sample_once(small_sampler, kLogits);
      EXPECT_EQ(sample_once(large_sampler, large), small_id * 32000 + 17);
    }
  }
}

}  // namespace
}  // namespace tessera

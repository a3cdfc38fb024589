// Sampling: from logits to a token.
//
//   Sampler sampler({.temperature = 0.8f, .top_p = 0.95f, .seed = 42});
//   std::int32_t id = sampler.sample(logits, history);
//
// The order of steps is that of Hugging Face's generate: logit bias, penalties, temperature, top-k,
// top-p, min-p, then one draw. Equal options, seed and logits give equal tokens on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

struct SamplingOptions {
  /// 0 takes the likeliest token (the lowest id among equals); otherwise logits are divided by it.
  float temperature = 0.0f;
  /// Only the k likeliest tokens; 0, or more than there are, keeps all.
  int top_k = 0;
  /// Only the smallest set of likeliest tokens whose probabilities reach p; 1 keeps all. At least
  /// one token stays, so 0 is greedy.   source  arXiv:1904.09751
  float top_p = 1.0f;
  /// Only tokens at least this fraction as likely as the likeliest.   source  arXiv:2407.01082
  float min_p = 0.0f;
  /// Logits of tokens in the history are divided by it if positive, multiplied if negative, once
  /// per token however often it occurs; 1 is off.   source  arXiv:1909.05858
  float repetition_penalty = 1.0f;
  /// Subtracted once from tokens in the history.
  float presence_penalty = 0.0f;
  /// Subtracted per occurrence in the history.
  float frequency_penalty = 0.0f;
  /// How many of the last tokens count as history for the penalties; 0 takes all.
  int penalty_last_n = 0;
  /// Added to the logits of these tokens; -infinity forbids one.
  std::vector<std::pair<std::int32_t, float>> logit_bias = std::vector<std::pair<std::int32_t, float>>();
  std::uint64_t seed = 0;

  /// errors  invalid_argument naming the parameter that is out of range or NaN
  void validate() const;
};

/// Chooses a token in place of the options; may change the logits [V]. history holds prompt and
/// answer so far.
using SamplerFunction =
    std::function<std::int32_t(std::span<float> logits, std::span<const std::int32_t> history)>;

struct TokenLogprob {
  std::int32_t id = 0;
  float logprob = 0;  ///< natural logarithm
};

class Sampler {
 public:
  /// errors  those of validate()
  explicit Sampler(SamplingOptions options);

  /// One token of logits [V], which are changed by bias, penalties and temperature.
  /// errors  invalid_argument for empty logits, or "no token allowed" when all are -infinity;
  ///         internal for NaN or +infinity
  std::int32_t sample(std::span<float> logits, std::span<const std::int32_t> history);

  const SamplingOptions& options() const { return options_; }

 private:
  double next_uniform();

  struct Candidate {
    std::int32_t id;
    float logit;
  };
  SamplingOptions options_;
  std::uint64_t counter_ = 0;
  std::vector<Candidate> candidates_;  // kept between calls for its memory
  std::vector<double> weights_;
};

/// Applies the penalties and the bias of the options to logits [V].
void apply_penalties(std::span<float> logits, std::span<const std::int32_t> history,
                     const SamplingOptions& options);

/// log softmax(logits)[id].
float logprob_of(std::span<const float> logits, std::int32_t id);
/// The n likeliest tokens, likeliest first, ties by id.
std::vector<TokenLogprob> top_logprobs(std::span<const float> logits, int n);

}  // namespace tessera

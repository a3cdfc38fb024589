// Sampler: a row of logits to a token.
//
//   Sampler sampler({.temperature = 0.7f, .top_p = 0.9f, .seed = 42});
//   std::int32_t token = sampler.sample(logits, history);
//
// In this order, which is that of transformers' generate (5.24):
//   1. logit_bias is added
//   2. repetition, presence and frequency penalties for the tokens of the history
//   3. the processors given to the constructor, in their order
//   4. temperature; 0 takes the greatest logit here, and the rest is not run
//   5. top_k, 6. top_p, 7. min_p
//   8. one token is drawn
// Of equal logits the lowest id counts as the greater, but for top_k, which keeps all that equal
// the k-th.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

struct SamplingOptions {
  float temperature = 1;         ///< divides the logits; 0 is greedy
  int top_k = 0;                 ///< keeps the k greatest; 0 or above the vocabulary keeps all
  float top_p = 1;               ///< keeps the fewest tokens with this probability together
  float min_p = 0;               ///< drops tokens below this share of the greatest probability
  float repetition_penalty = 1;  ///< divides positive logits of seen tokens, multiplies others
  float presence_penalty = 0;    ///< subtracted once for a seen token
  float frequency_penalty = 0;   ///< subtracted for each time a token was seen
  int penalty_last_n = -1;       ///< how much of the history's end the penalties see; -1 for all
  /// Added to these tokens' logits; -infinity bans one.
  std::vector<std::pair<std::int32_t, float>> logit_bias =
      std::vector<std::pair<std::int32_t, float>>();
  std::uint64_t seed = 0;

  /// errors  invalid_argument whose where() is the name of the parameter out of its range
  void validate() const;

  /// Temperature 0.
  static SamplingOptions greedy();
};

/// Changes a row of logits [V] in place; -infinity bans a token. history: prompt and reply so far.
using LogitsProcessor =
    std::function<void(std::span<float> logits, std::span<const std::int32_t> history)>;

/// A sampler of one's own: the id of the next token.
using SamplerFunction =
    std::function<std::int32_t(std::span<float> logits, std::span<const std::int32_t> history)>;

struct TokenLogprob {
  std::int32_t id;
  float logprob;  ///< natural logarithm of the model's own probability, before bias and sampling
};

struct SampledToken {
  std::int32_t id;
  float logprob;
  std::vector<TokenLogprob> top;  ///< the n most likely, greatest first
};

/// A token that was chosen from logits [V] by any means, with its log probability and those of the
/// `top` most likely ones.   step: for messages
/// errors  invalid_argument for an id outside [0, V), no logits, NaN, +infinity, or all -infinity
SampledToken logprobs_of(std::span<const float> logits, std::int32_t id, int top,
                         std::uint64_t step = 0);

class Sampler {
 public:
  /// errors  invalid_argument as SamplingOptions::validate
  explicit Sampler(SamplingOptions options, std::vector<LogitsProcessor> processors = {});

  /// logits   [V], overwritten by the bias, the penalties and the processors
  /// history  the tokens the penalties look at, prompt and reply; any ids outside [0, V) are
  ///          passed over
  /// errors   invalid_argument for no logits, NaN or +infinity among them ("non-finite logits at
  ///          step n"), all of them -infinity ("no token allowed"), or a bias beyond the vocabulary
  std::int32_t sample(std::span<float> logits, std::span<const std::int32_t> history = {});

  /// The same token, with its log probability and those of the `top` most likely ones.
  SampledToken sample_with_logprobs(std::span<float> logits, std::span<const std::int32_t> history,
                                    int top);

  /// Makes a Sampler a SamplerFunction.
  std::int32_t operator()(std::span<float> logits, std::span<const std::int32_t> history) {
    return sample(logits, history);
  }

  /// Tokens drawn so far. With the seed it is the whole state: the n-th draw uses the n-th number
  /// of the seed's sequence, the same on every machine, whatever the options.
  std::uint64_t step() const { return step_; }
  void set_step(std::uint64_t step) { step_ = step; }

  const SamplingOptions& options() const { return options_; }

 private:
  void add_bias(std::span<float> logits) const;
  bool penalizes() const;
  void penalize(std::span<float> logits, std::span<const std::int32_t> history);
  std::int32_t draw(std::span<const float> logits, float greatest);

  SamplingOptions options_;
  std::vector<LogitsProcessor> processors_;
  std::uint64_t step_ = 0;
  // Kept between calls so that a step allocates nothing.
  std::vector<std::int32_t> counts_;  // [V], zero between calls
  std::vector<std::int32_t> ids_;     // the candidates, ascending
  std::vector<float> weights_;        // exp((logit - greatest) / temperature) of each
  std::vector<float> scratch_;
};

}  // namespace tessera

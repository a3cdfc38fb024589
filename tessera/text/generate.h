// Session: prompt to text with a language model, token by token, reusing what its cache holds.
//
//   LoadedModel m = load("SmolLM2-135M-Instruct.Q4_1.gguf");
//   Session session(*m.model, *m.tokenizer);
//   session.generate(ids, {.max_tokens = 64}, [](const GeneratedToken& t) {
//     std::cout << t.text << std::flush;
//     return true;  // false stops
//   });
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/progress.h"
#include "tessera/text/language_model.h"
#include "tessera/text/sampler.h"
#include "tessera/text/tokenizer.h"

namespace tessera {

/// A token that was generated. `text` is what it adds to the answer: it may be empty while a
/// character or a possible stop string is unfinished.
struct GeneratedToken {
  std::int32_t id = 0;
  std::string text;
  /// Natural logarithms, of the model's own distribution (before sampling options), if asked for.
  std::optional<float> logprob;
  std::vector<TokenLogprob> top_logprobs;
  /// 0 for the first.
  std::int64_t step = 0;
};

enum class FinishReason {
  end_of_text,  ///< the model ended its turn
  stop_string,  ///< one of GenerateOptions::stop appeared
  length,       ///< max_tokens, or the model's context is full
  cancelled,    ///< the stop token or the callback asked for it
  error,        ///< only in a batch: BatchResult::error tells
};
std::string_view to_string(FinishReason reason);

struct GenerateOptions {
  std::int64_t max_tokens = 256;
  /// Greedy unless told otherwise.
  SamplingOptions sampling = SamplingOptions::greedy();
  /// Texts that end the answer; they are not part of it.
  std::vector<std::string> stop = {};
  /// Fill GeneratedToken::logprob, and this many of the likeliest besides.
  bool logprobs = false;
  int top_logprobs = 0;
  /// Go on past end-of-generation tokens.
  bool ignore_end = false;
  /// Tokens per forward pass of a long prompt: bounds the memory of activations.
  std::int64_t prefill_chunk = 512;
  /// Chooses the token instead of `sampling` when set.
  SamplerFunction sampler = {};
  LayerHook hook = {};
  std::stop_token stop_token = {};
  /// Called after each chunk of the prompt, stage "prefill", unit "tokens".
  ProgressCallback progress = {};
};

struct GenerateTimings {
  std::int64_t prompt_tokens = 0;
  std::int64_t reused_tokens = 0;  ///< of the prompt, found in the cache
  std::int64_t generated_tokens = 0;
  double prefill_seconds = 0;  ///< until the first token is chosen
  double decode_seconds = 0;   ///< from then on

  double prefill_tokens_per_second() const;
  double decode_tokens_per_second() const;
};

struct GenerateResult {
  std::vector<std::int32_t> ids;  ///< with the end-of-generation token, if it came
  std::string text;               ///< special tokens and stop strings left out
  FinishReason finish_reason = FinishReason::length;
  std::vector<float> logprobs;  ///< one per id when asked for
  std::vector<std::vector<TokenLogprob>> top_logprobs;
  GenerateTimings timings;
  /// Set when finish_reason is error: what ended this row of a batch.
  std::exception_ptr error;
};

/// Sees each token as it comes; false ends the generation.
using TokenCallback = std::function<bool(const GeneratedToken&)>;

/// One conversation's state. Not for two threads at once; several sessions may share a model.
class Session {
 public:
  /// Both must outlive the session.
  Session(const LanguageModel& model, const Tokenizer& tokenizer);

  /// Runs the prompt (only what the cache does not hold yet) and generates.
  /// errors  invalid_argument for an empty prompt, one longer than the context, an id outside the
  ///         vocabulary, or a bad option, each by name; internal for non-finite logits with the
  ///         step. After an error the session is as new.
  GenerateResult generate(std::span<const std::int32_t> prompt, const GenerateOptions& options = {},
                          const TokenCallback& on_token = {});

  /// The logits [V] after the prompt, reusing and filling the cache as generate does.
  std::vector<float> logits(std::span<const std::int32_t> prompt,
                            const GenerateOptions& options = {});

  /// Tokens the cache holds.
  const std::vector<std::int32_t>& tokens() const { return tokens_; }
  const nn::KvCaches& cache() const { return cache_; }
  void reset();

 private:
  array prefill(std::span<const std::int32_t> prompt, const GenerateOptions& options,
                GenerateTimings* timings);

  const LanguageModel& model_;
  const Tokenizer& tokenizer_;
  nn::KvCaches cache_;
  std::vector<std::int32_t> tokens_;
};

/// Several prompts, of any lengths, in one batch. Each row samples with its own seed
/// (sampling.seed + row). A row that fails carries its error; the others go on.
/// on_token(row, token); false ends that row.
std::vector<GenerateResult> generate_batch(
    const LanguageModel& model, const Tokenizer& tokenizer,
    const std::vector<std::vector<std::int32_t>>& prompts, const GenerateOptions& options = {},
    const std::function<bool(std::size_t row, const GeneratedToken&)>& on_token = {});

}  // namespace tessera

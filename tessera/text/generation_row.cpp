#include "tessera/text/internal/generation_row.h"

#include <cmath>

#include "tessera/core/internal/fail.h"

namespace tessera::detail {

namespace {

SamplingOptions seeded(SamplingOptions sampling, std::size_t row) {
  sampling.seed += row;
  return sampling;
}

// NaN and +infinity mean that the model has gone wrong; -infinity alone is how tokens are masked.
void check_finite(std::span<const float> logits, std::int64_t step) {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]) || logits[i] == INFINITY) {
      fail(ErrorCode::internal, "generate", "non-finite logits at step {}: {} for token {}", step,
           logits[i], i);
    }
  }
}

}  // namespace

GenerationRow::GenerationRow(const Tokenizer& tokenizer, const GenerateOptions& options,
                             std::vector<std::int32_t> history, std::size_t row)
    : tokenizer_(&tokenizer),
      options_(&options),
      history_(std::move(history)),
      sampler_(seeded(options.sampling, row)),
      decoder_(tokenizer, true),
      stops_(options.stop) {}

std::int32_t GenerationRow::accept(std::span<const float> logits, const TokenCallback& on_token) {
  GeneratedToken token;
  token.step = generated();
  check_finite(logits, token.step);
  scratch_.assign(logits.begin(), logits.end());
  token.id = options_->sampler ? options_->sampler(scratch_, history_)
                               : sampler_.sample(scratch_, history_);
  if (token.id < 0 || token.id >= static_cast<std::int32_t>(logits.size())) {
    fail(ErrorCode::invalid_argument, "generate",
         "the sampler chose {}, outside the vocabulary of {}", token.id, logits.size());
  }
  if (options_->logprobs) {
    SampledToken sampled = logprobs_of(logits, token.id, options_->top_logprobs,
                                       static_cast<std::uint64_t>(token.step));
    token.logprob = sampled.logprob;
    token.top_logprobs = std::move(sampled.top);
    result_.logprobs.push_back(*token.logprob);
    result_.top_logprobs.push_back(token.top_logprobs);
  }
  history_.push_back(token.id);
  result_.ids.push_back(token.id);
  const std::int32_t id = token.id;
  if (!options_->ignore_end && tokenizer_->is_end_of_generation(id)) {
    token.text = stops_.push(decoder_.finish()) + stops_.finish();
    report(std::move(token), on_token);
    finished_ = true;
    result_.finish_reason = FinishReason::end_of_text;
    return id;
  }
  token.text = stops_.push(decoder_.push(id));
  const bool stopped = stops_.finished();
  report(std::move(token), on_token);
  if (stopped) {
    finished_ = true;
    result_.finish_reason = FinishReason::stop_string;
  }
  return id;
}

void GenerationRow::finish(FinishReason reason, const TokenCallback& on_token) {
  if (finished_) return;
  finished_ = true;
  result_.finish_reason = reason;
  const std::string held = stops_.push(decoder_.finish()) + stops_.finish();
  if (held.empty()) return;
  // The last token again, with the text it had begun.
  GeneratedToken token;
  token.id = result_.ids.empty() ? -1 : result_.ids.back();
  token.step = generated();
  token.text = held;
  result_.text += held;
  if (on_token) on_token(token);
}

void GenerationRow::fail_with(std::exception_ptr error) {
  finished_ = true;
  result_.finish_reason = FinishReason::error;
  result_.error = std::move(error);
}

void GenerationRow::report(GeneratedToken token, const TokenCallback& on_token) {
  result_.text += token.text;
  if (on_token && !on_token(token)) {
    finished_ = true;
    result_.finish_reason = FinishReason::cancelled;
  }
}

GenerateResult GenerationRow::take_result() {
  result_.timings.generated_tokens = generated();
  return std::move(result_);
}

}  // namespace tessera::detail

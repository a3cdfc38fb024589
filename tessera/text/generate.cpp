#include "tessera/text/generate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tessera/core/internal/fail.h"
#include "tessera/ops/shape.h"
#include "tessera/text/internal/generation_row.h"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_options(const GenerateOptions& options) {
  options.sampling.validate();
  if (options.max_tokens < 0) {
    fail(ErrorCode::invalid_argument, "generate", "max_tokens {} < 0", options.max_tokens);
  }
  if (options.prefill_chunk <= 0) {
    fail(ErrorCode::invalid_argument, "generate", "prefill_chunk {} must be positive",
         options.prefill_chunk);
  }
}

void check_prompt(const LanguageModel& model, std::span<const std::int32_t> prompt) {
  if (prompt.empty()) fail(ErrorCode::invalid_argument, "generate", "the prompt has no tokens");
  if (static_cast<std::int64_t>(prompt.size()) > model.max_positions()) {
    fail(ErrorCode::invalid_argument, "generate",
         "the prompt's {} tokens exceed the model's context of {}", prompt.size(),
         model.max_positions());
  }
  for (std::int32_t id : prompt) {
    if (id < 0 || id >= model.vocab_size()) {
      fail(ErrorCode::invalid_argument, "generate", "token id {} is outside the vocabulary of {}",
           id, model.vocab_size());
    }
  }
}

// Ids as [rows, T] on the model's backend.
array token_array(const LanguageModel& model, std::span<const std::int32_t> ids,
                  std::int64_t rows) {
  const Shape shape{rows, static_cast<std::int64_t>(ids.size()) / rows};
  return array(HostTensor::from(ids, shape), model.backend());
}

// Logits [B, V] of the last position of hidden [B, T, C].
array last_logits(const LanguageModel& model, const array& hidden) {
  const std::int64_t last = hidden.shape(1) - 1;
  const array h = slice(hidden, {0, last, 0}, hidden.shape());
  return reshape(model.logits(h), {hidden.shape(0), -1});
}

}  // namespace

std::string_view to_string(FinishReason reason) {
  switch (reason) {
    case FinishReason::end_of_text: return "end_of_text";
    case FinishReason::stop_string: return "stop_string";
    case FinishReason::length: return "length";
    case FinishReason::cancelled: return "cancelled";
    case FinishReason::error: return "error";
  }
  return "unknown";
}

double GenerateTimings::prefill_tokens_per_second() const {
  const auto tokens = static_cast<double>(prompt_tokens - reused_tokens);
  return prefill_seconds > 0 ? tokens / prefill_seconds : 0;
}
double GenerateTimings::decode_tokens_per_second() const {
  // The first token is the prefill's.
  return decode_seconds > 0 && generated_tokens > 1
             ? static_cast<double>(generated_tokens - 1) / decode_seconds
             : 0;
}

Session::Session(const LanguageModel& model, const Tokenizer& tokenizer)
    : model_(model), tokenizer_(tokenizer), cache_(model.make_cache()) {}

void Session::reset() {
  cache_ = model_.make_cache();
  tokens_.clear();
}

array Session::prefill(std::span<const std::int32_t> prompt, const GenerateOptions& options,
                       GenerateTimings* timings) {
  check_prompt(model_, prompt);
  const auto mismatch = std::mismatch(prompt.begin(), prompt.end(), tokens_.begin(), tokens_.end());
  // At least one token must run, or there would be no logits.
  std::size_t reused = std::min<std::size_t>(mismatch.first - prompt.begin(), prompt.size() - 1);
  if (cache_.can_trim(static_cast<std::int64_t>(reused))) {
    cache_.trim(static_cast<std::int64_t>(reused));
  } else {
    reset();
    reused = 0;
  }
  tokens_.resize(reused);
  if (timings) {
    timings->prompt_tokens = static_cast<std::int64_t>(prompt.size());
    timings->reused_tokens = static_cast<std::int64_t>(reused);
  }
  std::span<const std::int32_t> rest = prompt.subspan(reused);
  for (;;) {
    throw_if_stopped(options.stop_token, "prefill");
    const std::size_t count = std::min<std::size_t>(rest.size(), options.prefill_chunk);
    const array hidden =
        model_.forward(token_array(model_, rest.first(count), 1), cache_, {{}, options.hook});
    tokens_.insert(tokens_.end(), rest.begin(), rest.begin() + count);
    rest = rest.subspan(count);
    if (options.progress) {
      options.progress({"prefill", tokens_.size() - reused, prompt.size() - reused, "tokens"});
    }
    if (rest.empty()) return last_logits(model_, hidden);
    // Each chunk runs before the next is built: its activations are then free.
    eval(cache_.arrays());
  }
}

std::vector<float> Session::logits(std::span<const std::int32_t> prompt,
                                   const GenerateOptions& options) {
  try {
    const array out = prefill(prompt, options, nullptr);
    const auto values = out.to_host().values<float>();
    return {values.begin(), values.end()};
  } catch (...) {
    reset();
    throw;
  }
}

GenerateResult Session::generate(std::span<const std::int32_t> prompt,
                                 const GenerateOptions& options, const TokenCallback& on_token) {
  check_options(options);
  detail::GenerationRow row(tokenizer_, options, {prompt.begin(), prompt.end()}, 0);
  try {
    GenerateTimings& timings = row.result().timings;
    const auto start = Clock::now();
    array out = prefill(prompt, options, &timings);
    out.eval();
    timings.prefill_seconds = seconds_since(start);
    const auto decode_start = Clock::now();
    const std::int64_t room = model_.max_positions() - static_cast<std::int64_t>(prompt.size());
    while (!row.finished()) {
      if (options.stop_token.stop_requested()) {
        row.finish(FinishReason::cancelled, on_token);
        break;
      }
      if (row.generated() >= std::min(options.max_tokens, room + 1)) {
        row.finish(FinishReason::length, on_token);
        break;
      }
      const std::int32_t id = row.accept(out.to_host().values<float>(), on_token);
      if (row.finished() || row.generated() >= std::min(options.max_tokens, room + 1)) continue;
      const std::int32_t next[] = {id};
      out = last_logits(model_,
                        model_.forward(token_array(model_, next, 1), cache_, {{}, options.hook}));
      tokens_.push_back(id);
    }
    timings.decode_seconds = seconds_since(decode_start);
    return row.take_result();
  } catch (const Error& e) {
    reset();
    if (e.code() == ErrorCode::cancelled) {
      row.finish(FinishReason::cancelled, on_token);
      return row.take_result();
    }
    throw;
  } catch (...) {
    reset();
    throw;
  }
}

std::vector<GenerateResult> generate_batch(
    const LanguageModel& model, const Tokenizer& tokenizer,
    const std::vector<std::vector<std::int32_t>>& prompts, const GenerateOptions& options,
    const std::function<bool(std::size_t row, const GeneratedToken&)>& on_token) {
  check_options(options);
  std::vector<GenerateResult> results;
  if (prompts.empty()) return results;

  std::size_t longest = 0;
  for (const auto& prompt : prompts) {
    check_prompt(model, prompt);
    longest = std::max(longest, prompt.size());
  }
  const auto batch = static_cast<std::int64_t>(prompts.size());
  ForwardOptions forward;
  forward.hook = options.hook;
  std::vector<std::int32_t> padded;
  bool ragged = false;
  for (const auto& prompt : prompts) {
    const std::size_t pad = longest - prompt.size();
    ragged |= pad > 0;
    forward.left_padding.push_back(static_cast<std::int32_t>(pad));
    padded.insert(padded.end(), pad, prompt[0]);
    padded.insert(padded.end(), prompt.begin(), prompt.end());
  }
  if (!ragged) forward.left_padding.clear();

  std::vector<detail::GenerationRow> rows;
  std::vector<TokenCallback> callbacks(prompts.size());
  for (std::size_t r = 0; r < prompts.size(); ++r) {
    rows.emplace_back(tokenizer, options, prompts[r], r);
    rows[r].result().timings.prompt_tokens = static_cast<std::int64_t>(prompts[r].size());
    if (on_token) callbacks[r] = [&on_token, r](const GeneratedToken& t) { return on_token(r, t); };
  }
  const auto finish_all = [&](FinishReason reason) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r].finished()) rows[r].finish(reason, callbacks[r]);
    }
  };

  nn::KvCaches cache = model.make_cache();
  const auto start = Clock::now();
  const array all = token_array(model, padded, batch);
  std::optional<array> out;
  const auto width = static_cast<std::int64_t>(longest);
  for (std::int64_t at = 0; at < width; at += options.prefill_chunk) {
    throw_if_stopped(options.stop_token, "prefill");
    const std::int64_t end = std::min(width, at + options.prefill_chunk);
    const array hidden = model.forward(slice(all, {0, at}, {batch, end}), cache, forward);
    if (end == width)
      out = last_logits(model, hidden);
    else
      eval(cache.arrays());
    if (options.progress) {
      options.progress({"prefill", std::uint64_t(end), std::uint64_t(width), "tokens"});
    }
  }
  out->eval();
  const double prefill_seconds = seconds_since(start);
  const auto decode_start = Clock::now();
  const std::int64_t room = model.max_positions() - width;
  std::vector<std::int32_t> next(prompts.size());
  for (std::int64_t step = 0;; ++step) {
    if (options.stop_token.stop_requested()) finish_all(FinishReason::cancelled);
    if (step >= std::min(options.max_tokens, room + 1)) finish_all(FinishReason::length);
    const auto values = out->to_host().values<float>();
    const std::size_t vocab = values.size() / prompts.size();
    bool running = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].finished()) continue;
      try {
        next[r] = rows[r].accept(values.subspan(r * vocab, vocab), callbacks[r]);
      } catch (...) {
        rows[r].fail_with(std::current_exception());
      }
      running |= !rows[r].finished();
    }
    if (!running) break;
    out = last_logits(model, model.forward(token_array(model, next, batch), cache, forward));
  }
  for (detail::GenerationRow& row : rows) {
    row.result().timings.prefill_seconds = prefill_seconds;
    row.result().timings.decode_seconds = seconds_since(decode_start);
    results.push_back(row.take_result());
  }
  return results;
}

}  // namespace tessera

#include "tessera/cli/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "tessera/cli/commands.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/progress_bar.h"
#include "tessera/core/internal/fail.h"

namespace tessera::cli {

CLI::Validator at_least(std::int64_t least) {
  return CLI::Validator(
      [least](std::string& text) {
        std::int64_t value = 0;
        const bool number = CLI::detail::lexical_cast(text, value);
        return number && value < least ? fmt::format("must be at least {}, is {}", least, value)
                                       : std::string();
      },
      "");
}

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("MODEL", model, "A .gguf file, a model folder, or a name in the cache")
      ->required();
  command.add_option("--backend", backend, "Where to run: auto, cpu, or another that 'info' lists")
      ->capture_default_str()
      ->group("Machine");
  command.add_option("--threads", threads, "Threads in all; 0 takes every processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group("Machine");
  command
      .add_flag("--fast", fast,
                "Round activations to 8 bits beside packed weights: faster, not exact")
      ->group("Machine");
}

OpenModel::OpenModel(const ModelOptions& options)
    : backend_(make_backend(options.backend, {.threads = options.threads})), scope_(backend_) {
  const auto start = std::chrono::steady_clock::now();
  ProgressBar bar;
  LoadOptions load_options;
  load_options.backend = backend_;
  load_options.compute = options.fast ? QuantCompute::fast : QuantCompute::precise;
  load_options.warm = true;
  load_options.progress = [&bar](const Progress& progress) {
    if (interrupted()) throw Interrupted{};
    bar.show(progress);
  };
  loaded_ = load(options.model, load_options);
  load_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int OpenModel::threads() const {
  for (const auto& [fact, value] : backend_->info().facts) {
    if (fact == "threads") return std::stoi(value);
  }
  return 0;
}

const Tokenizer& OpenModel::tokenizer() const {
  if (!loaded_.tokenizer) {
    fail(ErrorCode::not_found, loaded_.path.string(), "has no tokenizer, so there is no text");
  }
  return *loaded_.tokenizer;
}

void SamplingFlags::add_to(CLI::App& command) {
  SamplingOptions& sampling = options.sampling;
  const auto add = [&](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->capture_default_str()->group("Sampling");
  };
  add("--max-tokens", options.max_tokens, "At most this many tokens");
  add("--temperature", sampling.temperature, "0 takes the likeliest token; higher is more varied");
  add("--top-k", sampling.top_k, "Only the K likeliest tokens; 0 keeps all");
  add("--top-p", sampling.top_p, "Only the likeliest tokens whose probabilities reach P");
  add("--min-p", sampling.min_p, "Only tokens at least P times as likely as the likeliest");
  add("--repetition-penalty", sampling.repetition_penalty, "Above 1 makes repetition less likely");
  add("--presence-penalty", sampling.presence_penalty, "Taken once from tokens that occurred");
  add("--frequency-penalty", sampling.frequency_penalty, "Taken from tokens per occurrence");
  command.add_option("--seed", sampling.seed, "The same seed gives the same answer")
      ->check(at_least(0))
      ->capture_default_str()
      ->group("Sampling");
  command.add_option("--stop", options.stop, "Text that ends the answer; may be repeated")
      ->allow_extra_args(false)
      ->group("Sampling");
  command
      .add_flag("--ignore-end", options.ignore_end, "Go on past the model's end-of-answer token")
      ->group("Sampling");
  command
      .add_option("--prefill-chunk", options.prefill_chunk, "Tokens of a long prompt run at a time")
      ->check(at_least(1))
      ->capture_default_str()
      ->group("Machine");
}

void SamplingFlags::check() const {
  if (options.max_tokens < 0) throw UsageError("--max-tokens: must not be negative");
  for (const std::string& stop : options.stop) {
    if (stop.empty()) throw UsageError("--stop: an empty text would end every answer");
  }
  try {
    options.sampling.validate();
  } catch (const Error& e) {  // "top_p: ..." is "--top-p: ..." here
    std::string message = e.what();
    std::replace(message.begin(), message.begin() + std::ssize(e.where()), '_', '-');
    throw UsageError("--" + message);
  }
}

}  // namespace tessera::cli

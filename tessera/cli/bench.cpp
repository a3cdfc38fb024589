#include <sys/resource.h>

#include <algorithm>
#include <memory>

#include "tessera/cli/commands.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/model_options.h"
#include "tessera/cli/output.h"
#include "tessera/cli/progress_bar.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  tessera bench model.gguf
  tessera bench model.gguf --prompt-tokens 128 --generate-tokens 32 --rounds 5
  tessera bench model.gguf --threads 1 --fast --json)";

struct Series {
  std::vector<double> values;

  double median() const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  double min() const { return *std::min_element(values.begin(), values.end()); }
  double max() const { return *std::max_element(values.begin(), values.end()); }
  Json json() const {
    return {{"median", median()}, {"min", min()}, {"max", max()}, {"rounds", values}};
  }
};

struct Bench {
  ModelOptions model;
  std::int64_t prompt_tokens = 512;
  std::int64_t generate_tokens = 64;
  int rounds = 3;
  bool json = false;

  void run() const;
};

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Ids that are no control tokens, spread over the vocabulary. What they say does not matter to the
/// speed.
std::vector<std::int32_t> made_up_prompt(const OpenModel& open, std::int64_t count) {
  std::vector<std::int32_t> ids;
  const auto size = static_cast<std::uint64_t>(open.model().vocab_size());
  for (std::uint64_t i = 0; ids.size() < static_cast<std::size_t>(count) && i < 64 * size; ++i) {
    const auto id = static_cast<std::int32_t>((i * 2654435761U + 12345) % size);
    if (!open.tokenizer().is_special(id)) ids.push_back(id);
  }
  return ids;
}

void Bench::run() const {
  catch_interrupts(SecondInterrupt::ends_program);
  const OpenModel open(model);
  const std::int64_t room = open.model().max_positions();
  if (prompt_tokens + generate_tokens > room) {
    throw UsageError(fmt::format("{} + {} tokens are more than this model's context of {}",
                                 prompt_tokens, generate_tokens, room));
  }
  const std::vector<std::int32_t> prompt = made_up_prompt(open, prompt_tokens);
  InterruptToken interrupt;
  Series prefill, decode;
  std::uint64_t cache_bytes = 0;
  ProgressBar bar;
  for (int round = 0; round <= rounds; ++round) {  // the first warms up and does not count
    bar.show(
        {"bench", static_cast<std::uint64_t>(round), static_cast<std::uint64_t>(rounds), "rounds"});
    Session session(open.model(), open.tokenizer());
    GenerateOptions options;
    // The prefill's logits give the first token, each step of decoding one more.
    options.max_tokens = generate_tokens + 1;
    options.ignore_end = true;
    options.stop_token = interrupt.token();
    const GenerateResult result = session.generate(prompt, options);
    if (result.finish_reason == FinishReason::cancelled) throw Interrupted{};
    cache_bytes = session.cache().nbytes();
    if (round == 0) continue;
    prefill.values.push_back(result.timings.prefill_tokens_per_second());
    decode.values.push_back(result.timings.decode_tokens_per_second());
  }
  bar.clear();
  const MemoryInfo memory = tessera::memory(open.loaded().backend);

  if (json) {
    return put_json({{"model", open.loaded().path.string()},
                     {"backend", open.loaded().backend->name()},
                     {"threads", open.threads()},
                     {"fast", model.fast},
                     {"file_bytes", open.loaded().file_bytes},
                     {"load_seconds", open.load_seconds()},
                     {"prompt_tokens", prompt_tokens},
                     {"generate_tokens", generate_tokens},
                     {"prefill_tokens_per_second", prefill.json()},
                     {"decode_tokens_per_second", decode.json()},
                     {"kv_cache_bytes", cache_bytes},
                     {"peak_tensor_bytes", memory.peak_bytes},
                     {"peak_resident_bytes", peak_resident_bytes()}});
  }
  emit("{}, {}, {} on {}, {} threads\n\n", open.loaded().path.filename().string(),
       human_bytes(open.loaded().file_bytes), open.model().model_type(),
       open.loaded().backend->name(), open.threads());
  emit("{:<24}{:>10}{:>10}{:>10}\n", "tokens/s", "median", "min", "max");
  const auto row = [](const std::string& name, const Series& series) {
    emit("{:<24}{:>10.1f}{:>10.1f}{:>10.1f}\n", name, series.median(), series.min(), series.max());
  };
  row(fmt::format("prefill, {} tokens", prompt_tokens), prefill);
  row(fmt::format("decode, {} tokens", generate_tokens), decode);
  emit("\n{:<24}{:>10.2f} s\n", "load", open.load_seconds());
  emit("{:<24}{:>10}\n", "KV cache", human_bytes(cache_bytes));
  emit("{:<24}{:>10}\n", "peak of tensors", human_bytes(memory.peak_bytes));
  emit("{:<24}{:>10}\n", "peak resident memory", human_bytes(peak_resident_bytes()));
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Speed and memory of a model on this machine");
  command->footer(kExamples);
  const auto bench = std::make_shared<Bench>();
  bench->model.add_to(*command);
  command->add_option("--prompt-tokens", bench->prompt_tokens, "Length of the prompt")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--generate-tokens", bench->generate_tokens, "Steps of decoding")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--rounds", bench->rounds, "Rounds that count, after one to warm up")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", bench->json, "One JSON object");
  command->callback([bench] { bench->run(); });
}

}  // namespace tessera::cli

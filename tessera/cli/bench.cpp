#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "tessera/cli/commands.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/model_options.h"
#include "tessera/cli/output.h"
#include "tessera/cli/progress_bar.h"

namespace tessera::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBenchExamples = R"(Examples:
  tessera bench model.gguf
  tessera bench model.gguf --prompt-tokens 128 --generate-tokens 32 --rounds 5
  tessera bench model.gguf --depth 0 --depth 1024
  tessera bench model.gguf --threads 1 --fast --json)";

/// Wall clock and processor seconds of all threads, of this process. On a machine that others use
/// too the second says more.
struct Stopwatch {
  double wall = 0;
  double cpu = 0;

  static Stopwatch now() {
    const auto seconds = [](clockid_t clock) {
      timespec t{};
      ::clock_gettime(clock, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    return {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
  }
  Stopwatch since(const Stopwatch& start) const { return {wall - start.wall, cpu - start.cpu}; }
};

/// Tokens per second of each round, and per processor second.
struct Series {
  std::vector<double> values;
  std::vector<double> per_cpu_second;

  void add(std::int64_t tokens, const Stopwatch& taken) {
    values.push_back(static_cast<double>(tokens) / taken.wall);
    per_cpu_second.push_back(static_cast<double>(tokens) / taken.cpu);
  }
  double median() const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  double min() const { return *std::min_element(values.begin(), values.end()); }
  double max() const { return *std::max_element(values.begin(), values.end()); }
  Json json() const {
    return {{"median", median()},
            {"min", min()},
            {"max", max()},
            {"rounds", values},
            {"rounds_per_cpu_second", per_cpu_second}};
  }
};

struct Bench {
  ModelOptions model;
  std::int64_t prompt_tokens = 512;
  std::int64_t generate_tokens = 64;
  std::vector<std::int64_t> depths;  // as the user gave them
  int rounds = 3;
  bool json = false;

  void run() const;
};

/// What one pass over a new cache took.
struct Pass {
  Stopwatch prefill, decode;
  std::uint64_t cache_bytes = 0;
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

Pass run_pass(const OpenModel& open, std::span<const std::int32_t> prompt, std::int64_t steps,
              const std::stop_token& stop_token) {
  Session session(open.model(), open.tokenizer());
  GenerateOptions options;
  // The prefill's logits give the first token, each step of decoding one more.
  options.max_tokens = steps + 1;
  options.ignore_end = true;
  options.stop_token = stop_token;
  const Stopwatch start = Stopwatch::now();
  Stopwatch first = start;
  const GenerateResult result = session.generate(prompt, options, [&](const GeneratedToken& token) {
    if (token.step == 0) first = Stopwatch::now();
    return true;
  });
  if (result.finish_reason == FinishReason::cancelled) throw Interrupted{};
  return {first.since(start), Stopwatch::now().since(first), session.cache().nbytes()};
}

void Bench::run() const {
  catch_interrupts(SecondInterrupt::ends_program);
  const Stopwatch before_load = Stopwatch::now();
  const OpenModel open(model);
  const Stopwatch load = Stopwatch::now().since(before_load);
  const std::int64_t room = open.model().max_positions();
  std::map<std::int64_t, Series> decode;  // by depth
  for (std::int64_t depth : depths) decode[depth];
  if (depths.empty()) decode[prompt_tokens];
  const std::int64_t longest =
      std::max(prompt_tokens, std::max<std::int64_t>(1, decode.rbegin()->first) + generate_tokens);
  if (longest > room) {
    throw UsageError(
        fmt::format("{} tokens are more than this model's context of {}", longest, room));
  }
  const std::vector<std::int32_t> prompt = made_up_prompt(open, longest);
  const InterruptToken interrupt;
  Series prefill;
  std::uint64_t cache_bytes = 0;
  ProgressBar bar;
  for (int round = 0; round <= rounds; ++round) {  // the first warms up and does not count
    bar.show(
        {"bench", static_cast<std::uint64_t>(round), static_cast<std::uint64_t>(rounds), "rounds"});
    const auto pass = [&](std::int64_t length, std::int64_t steps) {
      const auto ids = std::span(prompt).first(static_cast<std::size_t>(length));
      const Pass result = run_pass(open, ids, steps, interrupt.token());
      cache_bytes = std::max(cache_bytes, result.cache_bytes);
      return result;
    };
    const auto same_depth = decode.find(prompt_tokens);
    const std::int64_t steps = same_depth == decode.end() ? 0 : generate_tokens;
    const Pass first = pass(prompt_tokens, steps);
    if (round > 0) prefill.add(prompt_tokens, first.prefill);
    if (round > 0 && steps > 0) same_depth->second.add(steps, first.decode);
    if (round == 0) continue;  // one pass is warm-up enough
    for (auto& [depth, series] : decode) {
      if (depth == prompt_tokens) continue;
      // A model needs one token to begin with, so depth 0 decodes from the second position on.
      series.add(generate_tokens, pass(std::max<std::int64_t>(1, depth), generate_tokens).decode);
    }
  }
  bar.clear();
  const MemoryInfo memory = tessera::memory(open.loaded().backend);

  if (json) {
    Json decodes = Json::array();
    for (const auto& [depth, series] : decode) {
      Json one = series.json();
      one["depth"] = depth;
      decodes.push_back(std::move(one));
    }
    return put_json({{"model", open.loaded().path.string()},
                     {"backend", open.loaded().backend->name()},
                     {"threads", open.threads()},
                     {"fast", model.fast},
                     {"file_bytes", open.loaded().file_bytes},
                     {"load_seconds", load.wall},
                     {"load_cpu_seconds", load.cpu},
                     {"prompt_tokens", prompt_tokens},
                     {"generate_tokens", generate_tokens},
                     {"prefill_tokens_per_second", prefill.json()},
                     {"decode_tokens_per_second", std::move(decodes)},
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
  for (const auto& [depth, series] : decode) {
    row(fmt::format("decode, {} after {}", generate_tokens, depth), series);
  }
  emit("\n{:<24}{:>10.2f} s\n", "load", load.wall);
  emit("{:<24}{:>10}\n", "KV cache", human_bytes(cache_bytes));
  emit("{:<24}{:>10}\n", "peak of tensors", human_bytes(memory.peak_bytes));
  emit("{:<24}{:>10}\n", "peak resident memory", human_bytes(peak_resident_bytes()));
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Speed and memory of a model on this machine");
  command->footer(kBenchExamples);
  const auto bench = std::make_shared<Bench>();
  bench->model.add_to(*command);
  command->add_option("--prompt-tokens", bench->prompt_tokens, "Length of the prompt")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--generate-tokens", bench->generate_tokens, "Steps of decoding")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command
      ->add_option("--depth", bench->depths,
                   "Tokens in the cache when decoding begins; may be repeated. As long as the "
                   "prompt unless given")
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 1 << 20));
  command->add_option("--rounds", bench->rounds, "Rounds that count, after one to warm up")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", bench->json, "One JSON object");
  command->callback([bench] { bench->run(); });
}

}  // namespace tessera::cli

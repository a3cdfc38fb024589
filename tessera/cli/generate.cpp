#include <optional>
#include <string>
#include <vector>

#include "tessera/cli/commands.h"
#include "tessera/cli/generate_json.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/model_options.h"
#include "tessera/cli/output.h"
#include "tessera/cli/progress_bar.h"
#include "tessera/cli/read_text.h"
#include "tessera/text/prompt.h"

namespace tessera::cli {
namespace {

constexpr const char* kGenerateExamples = R"(Examples:
  tessera generate model.gguf --prompt "Why is the sky blue?"
  tessera generate model.gguf --prompt "Once upon a time" --raw --max-tokens 40
  tessera generate org/repository --prompt-file question.txt --temperature 0.7 --seed 1
  git diff | tessera generate model.gguf --system "Write a commit message." -
  tessera generate model.gguf --prompt "2 + 2 =" --raw --json --logprobs 3)";

struct Generate {
  ModelOptions model;
  SamplingFlags sampling;
  std::string prompt, prompt_file, dash, system;
  CLI::Option* prompt_option = nullptr;
  bool raw = false;
  bool special = false;
  bool json = false;
  bool quiet = false;
  std::optional<int> logprobs;

  void add_to(CLI::App& command);
  void run();

 private:
  std::string read_prompt() const;
  std::vector<std::int32_t> encode(const OpenModel& open, const std::string& text) const;
};

void Generate::add_to(CLI::App& command) {
  model.add_to(command);
  prompt_option = command.add_option("--prompt", prompt, "The prompt");
  CLI::Option* file =
      command.add_option("--prompt-file", prompt_file, "A file that holds the prompt")
          ->excludes(prompt_option);
  command.add_option("INPUT", dash, "- reads the prompt from standard input")
      ->check(CLI::IsMember({"-"}))
      ->excludes(prompt_option)
      ->excludes(file);
  CLI::Option* raw_flag =
      command.add_flag("--raw,--no-template", raw,
                       "Continue the prompt as it is, without the model's chat template");
  command.add_option("--system", system, "A system message before the prompt")->excludes(raw_flag);
  command.add_flag("--special", special, "Read control tokens such as <|im_end|> in the prompt")
      ->needs(raw_flag);
  CLI::Option* json_flag =
      command.add_flag("--json", json, "One JSON object at the end instead of text as it comes");
  command
      .add_option_function<int>(
          "--logprobs", [this](int n) { logprobs = n; },
          "Log probabilities of the tokens, and of the N likeliest at each step")
      ->expected(0, 1)
      ->default_str("0")
      ->check(CLI::Range(0, 100))
      ->needs(json_flag);
  command.add_flag("--quiet,-q", quiet, "No tokens/s on standard error");
  sampling.add_to(command);
}

std::string Generate::read_prompt() const {
  if (prompt_option->count() > 0) return prompt;
  if (dash == "-" || prompt_file == "-") return read_standard_input();
  if (prompt_file.empty()) {
    throw UsageError("generate: no prompt; give --prompt TEXT, --prompt-file FILE or -");
  }
  return read_text_file(prompt_file);
}

std::vector<std::int32_t> Generate::encode(const OpenModel& open, const std::string& text) const {
  const std::optional<ChatTemplate>& chat = open.loaded().chat_template;
  if (raw || !chat) {
    if (!raw && !system.empty()) {
      throw UsageError("--system: this model has no chat template that could place it");
    }
    return open.tokenizer().encode(text, {.add_special_tokens = true, .parse_special = special});
  }
  std::vector<ChatMessage> messages;
  if (!system.empty()) messages.push_back({"system", system});
  messages.push_back({"user", text});
  return encode_chat(open.tokenizer(), *chat, messages, {.add_generation_prompt = true});
}

void Generate::run() {
  sampling.check();
  const std::string text = read_prompt();
  catch_interrupts(SecondInterrupt::ends_program);
  const OpenModel open(model);
  const std::vector<std::int32_t> prompt_ids = encode(open, text);

  InterruptToken interrupt;
  ProgressBar bar;
  GenerateOptions options = sampling.options;
  options.stop_token = interrupt.token();
  options.logprobs = logprobs.has_value();
  options.top_logprobs = logprobs.value_or(0);
  options.progress = [&](const Progress& progress) {
    if (progress.done < progress.total) bar.show(progress);
  };
  Session session(open.model(), open.tokenizer());
  bool line_open = false;
  const GenerateResult result =
      session.generate(prompt_ids, options, [&](const GeneratedToken& token) {
        bar.clear();
        if (json || token.text.empty()) return true;
        put_model_text(token.text);
        flush_output();
        line_open = token.text.back() != '\n';
        return true;
      });
  if (json) {
    put_json(to_json(result, prompt_ids, open, logprobs.has_value()));
  } else if (line_open) {
    put("\n");
  }
  flush_output();
  if (!json && !quiet) {
    const GenerateTimings& timings = result.timings;
    note("{}{}prompt {} tokens, {:.1f} tokens/s; answer {} tokens, {:.1f} tokens/s{}\n",
         is_terminal(Stream::output) ? "\n" : "", escape(Style::dim, Stream::error),
         timings.prompt_tokens, timings.prefill_tokens_per_second(), timings.generated_tokens,
         timings.decode_tokens_per_second(), escape(Style::plain, Stream::error));
  }
  if (result.finish_reason == FinishReason::cancelled) throw Interrupted{};
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("generate", "Answer one prompt");
  command->footer(kGenerateExamples);
  const auto generate = std::make_shared<Generate>();
  generate->add_to(*command);
  command->callback([generate] { generate->run(); });
}

}  // namespace tessera::cli

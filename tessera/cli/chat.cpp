#include <memory>

#include "tessera/cli/commands.h"
#include "tessera/cli/conversation.h"
#include "tessera/cli/interrupt.h"
#include "tessera/cli/line_editor.h"
#include "tessera/cli/model_options.h"
#include "tessera/cli/output.h"
#include "tessera/core/internal/fail.h"
#include "tessera/io/hub.h"
#include "tessera/text/prompt.h"

namespace tessera::cli {
namespace {

constexpr const char* kChatExamples = R"(Examples:
  tessera chat SmolLM2-135M-Instruct.Q4_1.gguf
  tessera chat model.gguf --system "Answer in one sentence." --temperature 0.7

In the chat: /help lists the commands, Ctrl-C stops an answer, Ctrl-D ends the program.)";

constexpr const char* kHelp = R"(/help          this list
/system TEXT   set the system message; without TEXT take it away
/clear         forget the conversation, keep the system message
/regen         answer the last question again
/save FILE     write the conversation as JSON
/load FILE     go on with a saved conversation
/exit          end the program, as Ctrl-D does
A line that ends in \ goes on in the next one. Ctrl-C stops an answer.
)";

class Chat {
 public:
  Chat(const OpenModel& open, const SamplingFlags& sampling, bool quiet);

  void set_system(const std::string& text) { conversation_.set_system(text); }
  void run();

 private:
  std::optional<std::string> read_message();
  bool command(const std::string& line);
  void ask(const std::string& text);
  void answer();
  GenerateResult generate(const std::vector<std::int32_t>& prompt);

  const OpenModel& open_;
  GenerateOptions options_;
  bool quiet_;
  LineEditor editor_;
  Session session_;
  Conversation conversation_;
};

Chat::Chat(const OpenModel& open, const SamplingFlags& sampling, bool quiet)
    : open_(open),
      options_(sampling.options),
      quiet_(quiet),
      editor_(cache_folder() / "chat_history"),
      session_(open.model(), open.tokenizer()) {
  if (!open.loaded().chat_template) {
    fail(ErrorCode::not_found, open.loaded().path.string(),
         "has no chat template, so it is no chat model; 'tessera generate' continues a text");
  }
}

/// A message or command; nullopt at the end of the input.
std::optional<std::string> Chat::read_message() {
  std::string text;
  while (true) {
    clear_interrupt();
    const Line line = editor_.read(text.empty() ? "> " : ". ");
    if (line.end == LineEnd::interrupted) {
      put("\n");
      text.clear();
      continue;
    }
    if (line.end == LineEnd::end_of_input) return std::nullopt;
    text += line.text;
    if (!text.ends_with('\\')) return text;
    text.back() = '\n';
  }
}

void Chat::run() {
  if (is_terminal(Stream::output)) {
    emit("{}{}; /help lists the commands{}\n", escape(Style::dim, Stream::output),
         open_.loaded().path.filename().string(), escape(Style::plain, Stream::output));
  }
  while (true) {
    const std::optional<std::string> line = read_message();
    if (!line) break;
    if (line->find_first_not_of(" \t\n") == std::string::npos) continue;
    try {
      if (!line->starts_with('/')) {
        ask(*line);
      } else if (!command(*line)) {
        return;
      }
    } catch (const Error& e) {  // of this message; the conversation goes on
      print_error(e.what());
    }
  }
  if (is_terminal(Stream::output)) put("\n");
}

/// False ends the program.
bool Chat::command(const std::string& line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, space);
  const std::size_t begin = line.find_first_not_of(' ', space);
  const std::string argument = begin == std::string::npos ? "" : line.substr(begin);
  const auto need_file = [&] {
    if (argument.empty()) fail(ErrorCode::invalid_argument, name, "needs the name of a file");
  };
  if (name == "/exit" || name == "/quit") return false;
  if (name == "/help") {
    put(kHelp);
  } else if (name == "/clear") {
    conversation_.clear();
  } else if (name == "/system") {
    conversation_.set_system(argument);
  } else if (name == "/save") {
    need_file();
    conversation_.save(argument);
  } else if (name == "/load") {
    need_file();
    conversation_.load(argument);
    note("{} messages\n", conversation_.messages().size());
  } else if (name == "/regen") {
    conversation_.drop_last("assistant");
    const bool asked = !conversation_.empty() && conversation_.messages().back().role == "user";
    if (!asked) fail(ErrorCode::invalid_argument, name, "there is no question to answer again");
    ++options_.sampling.seed;  // or the answer would be the same
    answer();
  } else {
    fail(ErrorCode::invalid_argument, name, "no such command; /help lists them");
  }
  return true;
}

void Chat::ask(const std::string& text) {
  conversation_.add("user", text);
  try {
    answer();
  } catch (const Error&) {
    conversation_.drop_last("user");  // a refused question must not stand in the way of the next
    throw;
  }
}

void Chat::answer() {
  // What the cache holds of the conversation is not run again.
  const std::vector<std::int32_t> prompt =
      encode_chat(open_.tokenizer(), *open_.loaded().chat_template, conversation_.messages(),
                  {.add_generation_prompt = true});
  const GenerateResult result = generate(prompt);
  conversation_.add("assistant", result.text);
  if (quiet_) return;
  const GenerateTimings& timings = result.timings;
  std::string end;
  if (result.finish_reason != FinishReason::end_of_text) {
    end = fmt::format(", {}", to_string(result.finish_reason));
  }
  note("{}prompt {} tokens ({} reused), answer {} tokens, {:.1f} tokens/s{}{}\n",
       escape(Style::dim, Stream::error), timings.prompt_tokens, timings.reused_tokens,
       timings.generated_tokens, timings.decode_tokens_per_second(), end,
       escape(Style::plain, Stream::error));
}

GenerateResult Chat::generate(const std::vector<std::int32_t>& prompt) {
  clear_interrupt();
  InterruptToken interrupt;
  GenerateOptions options = options_;
  options.stop_token = interrupt.token();
  put(escape(Style::green, Stream::output));
  const GenerateResult result = session_.generate(prompt, options, [](const GeneratedToken& token) {
    put_model_text(token.text);
    flush_output();
    return true;
  });
  put(escape(Style::plain, Stream::output));
  put("\n");
  flush_output();
  return result;
}

struct ChatOptions {
  ModelOptions model;
  SamplingFlags sampling;
  std::string system;
  bool quiet = false;

  void run() const {
    sampling.check();
    catch_interrupts(SecondInterrupt::is_the_same);
    const OpenModel open(model);
    Chat chat(open, sampling, quiet);
    chat.set_system(system);
    chat.run();
  }
};

}  // namespace

void add_chat(CLI::App& app) {
  CLI::App* command = app.add_subcommand("chat", "Talk with a model");
  command->footer(kChatExamples);
  const auto chat = std::make_shared<ChatOptions>();
  chat->model.add_to(*command);
  command->add_option("--system", chat->system, "A system message");
  command->add_flag("--quiet,-q", chat->quiet, "No tokens/s after each answer");
  chat->sampling.options.max_tokens = 1024;
  chat->sampling.add_to(*command);
  command->callback([chat] { chat->run(); });
}

}  // namespace tessera::cli

#include <algorithm>
#include <charconv>
#include <memory>

#include "tessera/cli/commands.h"
#include "tessera/cli/output.h"
#include "tessera/cli/read_text.h"
#include "tessera/core/internal/fail.h"
#include "tessera/io/gguf.h"
#include "tessera/io/hub.h"
#include "tessera/text/tokenizer.h"

namespace tessera::cli {
namespace {

constexpr const char* kTokenizeExamples = R"(Examples:
  tessera tokenize model.gguf "Hello world"
  tessera tokenize model.gguf "Hello world" --ids
  tessera tokenize model-folder "<|im_end|>" --special
  tessera tokenize model.gguf - --json < text.txt
  tessera tokenize model.gguf --decode "19556 905")";

struct Tokenize {
  std::string model, text;
  bool ids_only = false;
  bool special = false;
  bool bare = false;
  bool json = false;
  bool decode = false;

  void run();

 private:
  std::unique_ptr<Tokenizer> open() const;
  void print_tokens(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) const;
};

/// Ids of the vocabulary, apart by blanks or commas.   errors  UsageError
std::vector<std::int32_t> parse_ids(const std::string& text, const Tokenizer& tokenizer) {
  std::vector<std::int32_t> ids;
  constexpr const char* kBetween = " \t\r\n,[]";
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string::npos;
       at = text.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string word = text.substr(at, end - at);
    std::int32_t id = 0;
    const char* stop = word.data() + word.size();
    const auto [parsed, error] = std::from_chars(word.data(), stop, id);
    if (error != std::errc() || parsed != stop || !tokenizer.token_text(id)) {
      throw UsageError("--decode: '" + word + "' is no token id; the vocabulary has " +
                       std::to_string(tokenizer.vocab_size()));
    }
    ids.push_back(id);
    at = end;
  }
  return ids;
}

std::unique_ptr<Tokenizer> Tokenize::open() const {
  const std::filesystem::path path = resolve_model(model);
  return path.extension() == ".gguf" ? tokenizer_from_gguf(load_gguf(path)) : load_tokenizer(path);
}

void Tokenize::print_tokens(const Tokenizer& tokenizer,
                            const std::vector<std::int32_t>& ids) const {
  using Json = nlohmann::ordered_json;
  if (json) {
    Json tokens = Json::array();
    for (const std::int32_t id : ids) tokens.push_back(tokenizer.token_text(id).value_or(""));
    return put_json({{"ids", ids}, {"tokens", tokens}});
  }
  if (ids_only) return emit("{}\n", fmt::join(ids, " "));
  for (const std::int32_t id : ids) {
    emit("{:>8}  {}\n", id, printable(tokenizer.token_text(id).value_or("")));
  }
}

void Tokenize::run() {
  const std::unique_ptr<Tokenizer> tokenizer = open();
  if (text == "-") text = read_standard_input();
  if (!decode) {
    return print_tokens(*tokenizer, tokenizer->encode(text, {.add_special_tokens = !bare,
                                                             .parse_special = special}));
  }
  const std::string decoded = tokenizer->decode(parse_ids(text, *tokenizer));
  if (json) return put_json({{"text", decoded}});
  put_model_text(decoded);
  put("\n");
}

}  // namespace

void add_tokenize(CLI::App& app) {
  CLI::App* command = app.add_subcommand("tokenize", "Text to token ids and back");
  command->footer(kTokenizeExamples);
  const auto tokenize = std::make_shared<Tokenize>();
  command
      ->add_option("MODEL", tokenize->model,
                   "A .gguf file, a model folder, a tokenizer file, or a name in the cache")
      ->required();
  command->add_option("TEXT", tokenize->text, "The text (with --decode the ids); - reads it")
      ->required();
  command->add_flag("--ids", tokenize->ids_only, "Only the ids, in one line");
  command->add_flag("--special", tokenize->special, "Read control tokens in the text as such");
  command->add_flag("--bare", tokenize->bare, "Without what belongs around a text (<s> and such)");
  command->add_flag("--decode", tokenize->decode, "From ids to text");
  command->add_flag("--json", tokenize->json, "One JSON object");
  command->callback([tokenize] { tokenize->run(); });
}

}  // namespace tessera::cli

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/io/gguf.h"
#include "tessera/text/internal/bpe_model.h"
#include "tessera/text/internal/spm_parts.h"
#include "tessera/text/internal/tokenizer_gguf_pre.h"
#include "tessera/text/internal/tokenizer_pipeline.h"

namespace tessera {
namespace text {
namespace {

std::string key(std::string_view name) {
  return "tokenizer.ggml." + std::string(name);
}

std::shared_ptr<Vocabulary> read_vocabulary(const GgufFile& file) {
  const std::vector<std::string>* tokens = file.get_strings(key("tokens"));
  if (tokens == nullptr || tokens->empty()) {
    fail(ErrorCode::bad_format, file.path.string(), "metadata {} is missing or empty",
         key("tokens"));
  }
  auto vocabulary = std::make_shared<Vocabulary>();
  vocabulary->reserve(tokens->size());
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    // An empty or repeated spelling is padding: the id exists, no text leads to it.
    if ((*tokens)[i].empty() || vocabulary->find((*tokens)[i])) {
      vocabulary->add(id, fmt::format("[PAD{}]", i));
    } else {
      vocabulary->add(id, (*tokens)[i]);
    }
  }
  return vocabulary;
}

std::vector<TokenType> read_types(const GgufFile& file, std::int32_t count) {
  const auto numbers = file.get_ints(key("token_type"));
  if (!numbers) return std::vector<TokenType>(static_cast<std::size_t>(count), TokenType::normal);
  if (numbers->size() < static_cast<std::size_t>(count)) {
    fail(ErrorCode::bad_format, file.path.string(), "{} has {} entries for {} tokens",
         key("token_type"), numbers->size(), count);
  }
  std::vector<TokenType> types;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int64_t number = (*numbers)[static_cast<std::size_t>(i)];
    const bool known = number >= 1 && number <= 6;
    types.push_back(known ? static_cast<TokenType>(number) : TokenType::normal);
  }
  return types;
}

std::optional<std::int32_t> read_id(const GgufFile& file, std::string_view name,
                                    std::int32_t vocab_size) {
  const auto id = file.get_int(key(name));
  // -1 and ids past the end are how converters say "none".
  if (!id || *id < 0 || *id >= vocab_size) return std::nullopt;
  return static_cast<std::int32_t>(*id);
}

/// Special tokens by role, and what surrounds a text.
void read_roles(const GgufFile& file, bool add_bos, TokenizerParts& parts) {
  const std::int32_t size = parts.vocabulary->size();
  SpecialTokens& special = parts.special;
  special.bos = read_id(file, "bos_token_id", size);
  special.eos = read_id(file, "eos_token_id", size);
  special.pad = read_id(file, "padding_token_id", size);
  special.unk = read_id(file, "unknown_token_id", size);
  std::vector<std::int32_t> ends;
  for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
    if (const auto id = read_id(file, name, size)) ends.push_back(*id);
  }
  special.end_of_generation = end_of_generation_ids(parts.added, std::move(ends));
  if (file.get_bool(key("add_bos_token")).value_or(add_bos) && special.bos) {
    parts.prefix.push_back(*special.bos);
  }
  if (file.get_bool(key("add_eos_token")).value_or(false) && special.eos) {
    parts.suffix.push_back(*special.eos);
  }
  if (file.get_bool(key("add_sep_token")).value_or(false)) {
    if (const auto sep = read_id(file, "seperator_token_id", size)) {  // spelled so in the format
      parts.suffix.push_back(*sep);
    }
  }
}

BpeModel::MergeList read_merges(const GgufFile& file) {
  const std::vector<std::string>* lines = file.get_strings(key("merges"));
  if (lines == nullptr) {
    fail(ErrorCode::bad_format, file.path.string(), "metadata {} is missing", key("merges"));
  }
  BpeModel::MergeList merges;
  merges.reserve(lines->size());
  for (const std::string& line : *lines) {
    const std::size_t space = line.find(' ', 1);
    if (space == std::string::npos) {
      fail(ErrorCode::bad_format, file.path.string(), "{} entry {} is no pair: {}", key("merges"),
           merges.size(), quote(line));
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

std::unique_ptr<Tokenizer> read_bpe(const GgufFile& file) {
  const std::string name = file.get_string(key("pre")).value_or("default");
  const GgufPretokenizer* pre = find_gguf_pretokenizer(name);
  if (pre == nullptr) {
    fail(ErrorCode::unsupported_op, file.path.string(),
         "the pre-tokenizer {} ({}) is not known; convert the model with its tokenizer.json beside "
         "it and load that",
         quote(name), key("pre"));
  }
  const std::shared_ptr<Vocabulary> vocabulary = read_vocabulary(file);
  const std::vector<TokenType> types = read_types(file, vocabulary->size());
  TokenizerParts parts;
  parts.vocabulary = vocabulary;
  for (std::int32_t id = 0; id < vocabulary->size(); ++id) {
    const TokenType type = types[static_cast<std::size_t>(id)];
    if (type != TokenType::control && type != TokenType::unknown &&
        type != TokenType::user_defined) {
      continue;
    }
    AddedToken token;
    token.id = id;
    token.text = *vocabulary->text(id);
    token.special = type != TokenType::user_defined;
    parts.added.push_back(std::move(token));
  }
  if (pre->nfc) parts.normalizer.add(make_unicode_normalizer(UnicodeForm::nfc));
  for (const std::string_view pattern : pre->patterns) {
    parts.pretokenizers.push_back(
        make_regex_split(Regex(pattern), SplitBehavior::isolated, /*invert=*/false));
  }
  BpeOptions options;
  options.byte_level = true;
  options.ignore_merges = pre->ignore_merges;
  parts.model =
      std::make_unique<BpeModel>(*vocabulary, read_merges(file), options, special_ids(parts.added));
  parts.decoder.add({.kind = TokenDecoder::StepKind::byte_alphabet});
  read_roles(file, pre->add_bos, parts);
  return std::make_unique<TokenizerPipeline>(std::move(parts));
}

std::unique_ptr<Tokenizer> read_spm(const GgufFile& file) {
  const std::shared_ptr<Vocabulary> vocabulary = read_vocabulary(file);
  const auto count = static_cast<std::size_t>(vocabulary->size());
  SpmTokens tokens;
  tokens.vocabulary = vocabulary;
  const std::vector<double>* scores = file.get_floats(key("scores"));
  if (scores == nullptr || scores->size() < count) {
    fail(ErrorCode::bad_format, file.path.string(), "{} has {} entries for {} tokens",
         key("scores"), scores == nullptr ? 0 : scores->size(), count);
  }
  tokens.scores.assign(scores->begin(), scores->begin() + static_cast<std::ptrdiff_t>(count));
  tokens.types = read_types(file, vocabulary->size());
  tokens.unknown = read_id(file, "unknown_token_id", vocabulary->size());
  tokens.add_space_prefix = file.get_bool(key("add_space_prefix")).value_or(true);
  TokenizerParts parts = make_spm_parts(std::move(tokens));
  read_roles(file, /*add_bos=*/true, parts);
  return std::make_unique<TokenizerPipeline>(std::move(parts));
}

}  // namespace
}  // namespace text

std::unique_ptr<Tokenizer> tokenizer_from_gguf(const GgufFile& file) {
  const auto model = file.get_string(text::key("model"));
  if (!model) {
    fail(ErrorCode::bad_format, file.path.string(), "metadata {} is missing", text::key("model"));
  }
  if (*model == "gpt2") return text::read_bpe(file);
  if (*model == "llama" || *model == "gemma") return text::read_spm(file);
  fail(ErrorCode::unsupported_op, file.path.string(),
       "the tokenizer model {} is not supported, only gpt2 and llama are", quote(*model));
}

}  // namespace tessera

#include <charconv>

#include "tessera/core/internal/json.h"
#include "tessera/text/internal/spm_model.h"
#include "tessera/text/internal/tokenizer_config.h"
#include "tessera/text/internal/tokenizer_files.h"
#include "tessera/text/internal/tokenizer_json.h"

namespace tessera::text {
namespace {

/// nullopt for what is not base64 (RFC 4648, with its padding).
std::optional<std::string> from_base64(std::string_view text) {
  const auto value_of = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int pending = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    pending += 6;
    if (pending >= 8) {
      pending -= 8;
      bytes += static_cast<char>(bits >> pending & 0xFF);
    }
  }
  return bytes;
}

/// Ranks in order of merging become falling scores.
class RankReader {
 public:
  void add(std::int32_t id, std::string bytes) {
    vocabulary_->add(id, std::move(bytes));
    scores_.resize(static_cast<std::size_t>(vocabulary_->size()));
    scores_[id] = -static_cast<float>(id);
  }

  void reserve(std::size_t tokens) { vocabulary_->reserve(tokens); }

  TokenizerParts finish(std::string_view pattern, std::vector<AddedToken> added) {
    TokenizerParts parts;
    parts.vocabulary = vocabulary_;
    parts.added = std::move(added);
    parts.pretokenizers.push_back(
        make_regex_split(Regex(pattern), SplitBehavior::isolated, /*invert=*/false));
    ScoredTokens tokens;
    tokens.types.assign(scores_.size(), TokenType::normal);
    tokens.scores = std::move(scores_);
    tokens.bytes = true;
    parts.model = std::make_unique<SpmModel>(*vocabulary_, std::move(tokens));
    parts.special.end_of_generation = end_of_generation_ids(parts.added, {});
    return parts;
  }

 private:
  std::shared_ptr<Vocabulary> vocabulary_ = std::make_shared<Vocabulary>();
  std::vector<float> scores_;
};

AddedToken special_token(std::int32_t id, std::string text) {
  AddedToken token;
  token.id = id;
  token.text = std::move(text);
  token.special = true;
  return token;
}

/// The special tokens of Tekken files that do not list them (versions v3 and v7), by id.
std::vector<std::string> default_tekken_specials() {
  return {"<unk>",
          "<s>",
          "</s>",
          "[INST]",
          "[/INST]",
          "[AVAILABLE_TOOLS]",
          "[/AVAILABLE_TOOLS]",
          "[TOOL_RESULTS]",
          "[/TOOL_RESULTS]",
          "[TOOL_CALLS]",
          "[IMG]",
          "<pad>",
          "[IMG_BREAK]",
          "[IMG_END]",
          "[PREFIX]",
          "[MIDDLE]",
          "[SUFFIX]",
          "[SYSTEM_PROMPT]",
          "[/SYSTEM_PROMPT]",
          "[TOOL_CONTENT]"};
}

std::vector<AddedToken> read_tekken_specials(const JsonObject& root, std::int64_t count) {
  std::vector<std::string> names(static_cast<std::size_t>(count));
  for (std::size_t id = 0; id < names.size(); ++id) names[id] = fmt::format("<SPECIAL_{}>", id);
  const auto place = [&](std::int64_t id, std::string name) {
    if (id < 0 || id >= count) {
      root.refuse(ErrorCode::bad_format, "special token {} has rank {} of {}", quote(name), id,
                  count);
    }
    names[static_cast<std::size_t>(id)] = std::move(name);
  };
  if (root.find("special_tokens") != nullptr) {
    for (const JsonObject& token : root.objects("special_tokens")) {
      place(token.integer("rank"), token.string("token_str"));
    }
  } else {
    std::int64_t id = 0;
    for (std::string& name : default_tekken_specials()) {
      if (id < count) place(id++, std::move(name));
    }
  }
  std::vector<AddedToken> tokens;
  for (std::size_t id = 0; id < names.size(); ++id) {
    tokens.push_back(special_token(static_cast<std::int32_t>(id), std::move(names[id])));
  }
  return tokens;
}

}  // namespace

std::unique_ptr<Tokenizer> load_tekken(const std::filesystem::path& path) {
  const nlohmann::json document = parse_large_json(read_text_file(path), path.string());
  const JsonObject root(document, path.string(), "root");
  const JsonObject config = root.object("config");
  const std::int64_t size = config.integer("default_vocab_size");
  const std::int64_t specials = config.integer("default_num_special_tokens");
  if (specials < 0 || specials > 65536 || size < specials || size > 1 << 24) {
    config.refuse(ErrorCode::bad_format, "{} special tokens in a vocabulary of {}", specials, size);
  }
  RankReader reader;
  const std::vector<JsonObject> entries = root.objects("vocab");
  reader.reserve(entries.size());
  // The file lists more ranks than the model has; those above its vocabulary do not exist.
  for (const JsonObject& entry : entries) {
    const std::int64_t rank = entry.integer("rank");
    if (rank >= size - specials) continue;
    auto bytes = from_base64(entry.string("token_bytes"));
    if (!bytes || bytes->empty() || rank < 0) {
      entry.refuse(ErrorCode::bad_format, "rank {} has no usable bytes", rank);
    }
    reader.add(static_cast<std::int32_t>(rank + specials), std::move(*bytes));
  }
  TokenizerParts parts =
      reader.finish(config.string("pattern"), read_tekken_specials(root, specials));
  const auto id_of = [&](std::string_view name) -> std::optional<std::int32_t> {
    for (const AddedToken& token : parts.added) {
      if (token.text == name) return token.id;
    }
    return std::nullopt;
  };
  parts.special.unk = id_of("<unk>");
  parts.special.bos = id_of("<s>");
  parts.special.eos = id_of("</s>");
  parts.special.pad = id_of("<pad>");
  if (parts.special.bos) parts.prefix = {*parts.special.bos};
  if (parts.special.eos) parts.special.end_of_generation = {*parts.special.eos};
  return std::make_unique<TokenizerPipeline>(std::move(parts));
}

}  // namespace tessera::text

namespace tessera {

std::unique_ptr<Tokenizer> load_tiktoken(const std::filesystem::path& file,
                                         const TiktokenOptions& options) {
  const std::string content = text::read_text_file(file);
  text::RankReader reader;
  reader.reserve(content.size() / 24);
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view line = std::string_view(content).substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    std::int32_t rank = -1;
    std::optional<std::string> bytes;
    if (space != line.npos) {
      bytes = text::from_base64(line.substr(0, space));
      std::from_chars(line.data() + space + 1, line.data() + line.size(), rank);
    }
    if (!bytes || bytes->empty() || rank < 0) {
      fail(ErrorCode::bad_format, file.string(), "line {} is not base64 bytes and a rank",
           line_number);
    }
    reader.add(rank, std::move(*bytes));
  }
  std::vector<text::AddedToken> added;
  for (const auto& [token, id] : options.special_tokens) {
    added.push_back(text::special_token(id, token));
  }
  return std::make_unique<text::TokenizerPipeline>(
      reader.finish(options.pattern, std::move(added)));
}

}  // namespace tessera

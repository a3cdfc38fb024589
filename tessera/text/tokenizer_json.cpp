#include "tessera/text/internal/tokenizer_json.h"

#include "tessera/core/internal/json.h"
#include "tessera/text/internal/bpe_model.h"
#include "tessera/text/internal/tokenizer_config.h"
#include "tessera/text/internal/tokenizer_files.h"

namespace tessera::text {
namespace {

std::shared_ptr<Vocabulary> read_vocabulary(const JsonObject& model) {
  const JsonObject json = model.object("vocab");
  auto vocabulary = std::make_shared<Vocabulary>();
  vocabulary->reserve(json.json().size());
  for (const auto& [text, id] : json.json().items()) {
    if (!id.is_number_integer() || id.get<double>() < 0 || id.get<double>() > 1 << 30) {
      json.refuse(ErrorCode::bad_format, "token {} has no usable id", quote(text));
    }
    vocabulary->add(id.get<std::int32_t>(), text);
  }
  return vocabulary;
}

BpeModel::MergeList read_merges(const JsonObject& model) {
  const nlohmann::json& json = model.at("merges");
  if (!json.is_array()) model.refuse(ErrorCode::bad_format, "\"merges\" must be an array");
  BpeModel::MergeList merges;
  merges.reserve(json.size());
  for (const nlohmann::json& merge : json) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
      model.refuse(ErrorCode::bad_format, "merge {} is neither \"a b\" nor [\"a\", \"b\"]",
                   merges.size());
    }
    merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return merges;
}

void check_model(const JsonObject& model) {
  // Files older than the field hold a BPE when they have merges.
  const std::string type = model.find("type")     ? model.string("type")
                           : model.find("merges") ? "BPE"
                                                  : "without a type";
  if (type != "BPE") {
    model.refuse(ErrorCode::unsupported_op, "the model {} is not supported, only BPE is",
                 quote(type));
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const nlohmann::json* value = model.find(key);
    if (value != nullptr && *value != "") {
      model.refuse(ErrorCode::unsupported_op, "\"{}\" is not supported", key);
    }
  }
  const nlohmann::json* dropout = model.find("dropout");
  if (dropout != nullptr && *dropout != 0.0) {
    model.refuse(ErrorCode::unsupported_op, "\"dropout\" would make encoding random");
  }
}

struct JsonTokenizer {
  TokenizerParts parts;
  bool has_template = false;
};

JsonTokenizer read_tokenizer(std::string_view text, const std::string& name) {
  const nlohmann::json document = parse_large_json(text, name);
  const JsonObject root(document, name, "root");
  const JsonObject model = root.object("model");
  check_model(model);

  JsonTokenizer result;
  TokenizerParts& parts = result.parts;
  const std::shared_ptr<Vocabulary> vocabulary = read_vocabulary(model);
  parts.vocabulary = vocabulary;
  parts.added = read_added_tokens(root, *vocabulary);
  if (const auto* json = root.find("normalizer")) {
    read_normalizer(root.child(*json, "normalizer"), parts.normalizer);
  }
  BpeOptions options;
  if (const auto* json = root.find("pre_tokenizer")) {
    PretokenizerPart part = read_pretokenizer(root.child(*json, "pre_tokenizer"));
    parts.pretokenizers = std::move(part.chain);
    options.byte_level = part.byte_level;
  }
  options.ignore_merges = model.boolean("ignore_merges", false);
  options.byte_fallback = model.boolean("byte_fallback", false);
  options.fuse_unknown = model.boolean("fuse_unk", false);
  if (model.find("unk_token") != nullptr) {
    const std::string unknown = model.string("unk_token");
    options.unknown = vocabulary->find(unknown);
    if (!options.unknown) {
      model.refuse(ErrorCode::bad_format, "the unk_token {} is not in the vocabulary",
                   quote(unknown));
    }
    parts.special.unk = options.unknown;
  }
  parts.model = std::make_unique<BpeModel>(*vocabulary, read_merges(model), options,
                                           special_ids(parts.added));
  if (const auto* json = root.find("decoder")) {
    parts.decoder = read_decoder(root.child(*json, "decoder"));
  } else {
    parts.decoder.set_separator(" ");  // what the reference does without a decoder
  }
  if (const auto* json = root.find("post_processor")) {
    result.has_template = read_post_processor(root.child(*json, "post_processor"), parts);
  }
  return result;
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer_json(const std::filesystem::path& path) {
  JsonTokenizer result = read_tokenizer(read_text_file(path), path.string());
  read_tokenizer_configs(path.parent_path(), result.has_template, result.parts);
  return std::make_unique<TokenizerPipeline>(std::move(result.parts));
}

}  // namespace tessera::text

namespace tessera {

std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, const std::string& name) {
  text::TokenizerParts parts = text::read_tokenizer(json, name).parts;
  parts.special.end_of_generation = text::end_of_generation_ids(parts.added, {});
  return std::make_unique<text::TokenizerPipeline>(std::move(parts));
}

}  // namespace tessera

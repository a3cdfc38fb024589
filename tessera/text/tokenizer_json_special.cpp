#include "tessera/text/internal/tokenizer_json.h"

namespace tessera::text {
namespace {

std::int32_t to_id(const JsonObject& json, const nlohmann::json& value) {
  if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() >= 1 << 24) {
    json.refuse(ErrorCode::bad_format, "a token id must be an integer from 0 to {}", (1 << 24) - 1);
  }
  return value.get<std::int32_t>();
}

void read_template(const JsonObject& json, TokenizerParts& parts) {
  const JsonObject tokens = json.object("special_tokens");
  bool after_text = false;
  for (const JsonObject& item : json.objects("single")) {
    if (item.find("Sequence") != nullptr) {
      if (after_text || item.object("Sequence").string("id") != "A") {
        json.refuse(ErrorCode::unsupported_op, "\"single\" must hold the sequence A once");
      }
      after_text = true;
      continue;
    }
    const std::string name = item.object("SpecialToken").string("id");
    const nlohmann::json& ids = tokens.object(name.c_str()).at("ids");
    if (!ids.is_array()) tokens.refuse(ErrorCode::bad_format, "\"ids\" must be an array");
    for (const nlohmann::json& id : ids) {
      (after_text ? parts.suffix : parts.prefix).push_back(to_id(tokens, id));
    }
  }
  if (!after_text) json.refuse(ErrorCode::bad_format, "\"single\" lacks the sequence A");
}

/// [text, id] of RobertaProcessing and BertProcessing.
std::int32_t read_pair_id(const JsonObject& json, const char* key) {
  const nlohmann::json& pair = json.at(key);
  if (!pair.is_array() || pair.size() != 2) {
    json.refuse(ErrorCode::bad_format, "\"{}\" must be a token and its id", key);
  }
  return to_id(json, pair[1]);
}

}  // namespace

bool read_post_processor(const JsonObject& json, TokenizerParts& parts, int depth) {
  if (depth > kDeepestSequence) {
    json.refuse(ErrorCode::bad_format, "Sequence nests more than {} deep", kDeepestSequence);
  }
  const std::string type = json.string("type");
  if (type == "ByteLevel") return false;  // only moves offsets
  if (type == "Sequence") {
    bool has_template = false;
    for (const JsonObject& step : json.objects("processors")) {
      has_template |= read_post_processor(step, parts, depth + 1);
    }
    return has_template;
  }
  if (type == "TemplateProcessing") {
    read_template(json, parts);
  } else if (type == "RobertaProcessing" || type == "BertProcessing") {
    parts.prefix.push_back(read_pair_id(json, "cls"));
    parts.suffix.push_back(read_pair_id(json, "sep"));
  } else {
    json.refuse(ErrorCode::unsupported_op, "the post-processor {} is not supported", quote(type));
  }
  return true;
}

std::vector<AddedToken> read_added_tokens(const JsonObject& root, const Vocabulary& vocabulary) {
  std::vector<AddedToken> added;
  if (root.find("added_tokens") == nullptr) return added;
  for (const JsonObject& json : root.objects("added_tokens")) {
    AddedToken token;
    token.text = json.string("content");
    if (token.text.empty()) continue;
    token.id = to_id(json, json.at("id"));
    // The reference keeps the model's id of a token that the model has.
    if (const auto known = vocabulary.find(token.text)) token.id = *known;
    token.special = json.boolean("special", false);
    token.normalized = json.boolean("normalized", !token.special);
    token.single_word = json.boolean("single_word", false);
    token.lstrip = json.boolean("lstrip", false);
    token.rstrip = json.boolean("rstrip", false);
    added.push_back(std::move(token));
  }
  return added;
}

}  // namespace tessera::text

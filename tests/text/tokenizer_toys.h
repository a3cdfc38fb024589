// Small tokenizers made in the test itself.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/io/gguf.h"
#include "tessera/text/tokenizer.h"
#include "tests/text/tokenizer_test_data.h"

namespace tessera::testing {

/// A tokenizer of tests/goldens/tokenizer/fixtures.
inline std::unique_ptr<Tokenizer> toy(const std::string& name) {
  return load_tokenizer(tokenizer_goldens() / "fixtures" / ("toy_" + name + ".json"));
}

/// A byte-level tokenizer.json without pre-tokenizer regex: the 256 bytes and these merges.
inline std::string byte_level_json(const std::vector<std::pair<std::string, std::string>>& merges) {
  nlohmann::json json = read_json(tokenizer_goldens() / "fixtures/toy_gpt2.json");
  nlohmann::json vocab = nlohmann::json::object();
  for (const auto& [text, id] : json.at("model").at("vocab").items()) {
    // A single character of the byte alphabet takes one or two bytes of UTF-8.
    const bool single = text.size() == 1 || (text.size() == 2 && (text[0] & 0x80) != 0);
    if (single) vocab[text] = vocab.size();
  }
  nlohmann::json merge_list = nlohmann::json::array();
  for (const auto& [left, right] : merges) {
    vocab[left + right] = vocab.size();
    merge_list.push_back({left, right});
  }
  json["model"]["vocab"] = vocab;
  json["model"]["merges"] = merge_list;
  json["added_tokens"] = nlohmann::json::array();
  json["pre_tokenizer"]["use_regex"] = false;
  return json.dump();
}

/// What GGUF calls the use of a token.
enum GgufTokenType : std::int64_t { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

/// Metadata of a GGUF file, filled by hand.
inline GgufFile gguf_vocabulary(std::string model, std::vector<std::string> tokens,
                                std::vector<std::int64_t> types) {
  GgufFile file;
  file.path = "toy.gguf";
  file.metadata["tokenizer.ggml.model"] = std::move(model);
  file.metadata["tokenizer.ggml.tokens"] = GgufArray{std::move(tokens)};
  file.metadata["tokenizer.ggml.token_type"] = GgufArray{std::move(types)};
  return file;
}

/// The GGUF form of a byte-level tokenizer.json.
inline GgufFile gguf_from_json(const nlohmann::json& json, const std::string& pre) {
  std::vector<std::string> tokens;
  std::vector<std::int64_t> types;
  const auto place = [&](std::size_t id, const std::string& text, std::int64_t type) {
    if (tokens.size() <= id) {
      tokens.resize(id + 1);
      types.resize(id + 1, kNormal);
    }
    tokens[id] = text;
    types[id] = type;
  };
  for (const auto& [text, id] : json.at("model").at("vocab").items()) place(id, text, kNormal);
  for (const auto& token : json.at("added_tokens")) {
    place(token.at("id"), token.at("content"), token.at("special") ? kControl : kUserDefined);
  }
  std::vector<std::string> merges;
  for (const auto& merge : json.at("model").at("merges")) {
    merges.push_back(merge.is_string()
                         ? merge.get<std::string>()
                         : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
  }
  GgufFile file = gguf_vocabulary("gpt2", std::move(tokens), std::move(types));
  file.metadata["tokenizer.ggml.pre"] = pre;
  file.metadata["tokenizer.ggml.merges"] = GgufArray{std::move(merges)};
  return file;
}

}  // namespace tessera::testing

// Parts of tokenizer.json. Each function reads one object of the file and refuses what it does not
// know by name.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/quote.h"
#include "tessera/text/internal/tokenizer_pipeline.h"

namespace tessera::text {

/// Reads fields of one JSON object with messages that name file and field.
class JsonObject {
 public:
  /// errors  bad_format when `value` is not an object
  JsonObject(const nlohmann::json& value, std::string file, std::string name);

  /// nullptr when the field is absent or null.
  const nlohmann::json* find(const char* key) const;
  /// errors  bad_format when absent
  const nlohmann::json& at(const char* key) const;
  std::string string(const char* key) const;
  /// errors  bad_format unless it is true, false or absent
  bool boolean(const char* key, bool fallback) const;
  std::int64_t integer(const char* key) const;
  JsonObject object(const char* key) const { return {at(key), file_, name_ + "." + key}; }
  JsonObject child(const nlohmann::json& value, const std::string& name) const {
    return {value, file_, name_ + "." + name};
  }
  /// The elements of an array field, each an object.
  std::vector<JsonObject> objects(const char* key) const;

  const nlohmann::json& json() const { return *value_; }
  const std::string& file() const { return file_; }

  template <class... Args>
  [[noreturn]] void refuse(ErrorCode code, fmt::format_string<Args...> format,
                           Args&&... args) const {
    throw Error(code, file_, name_ + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const nlohmann::json* value_;
  std::string file_;
  std::string name_;
};

/// How deep Sequence may nest in a Sequence.
inline constexpr int kDeepestSequence = 8;

void read_normalizer(const JsonObject& json, NormalizerChain& chain, int depth = 0);

struct PretokenizerPart {
  PretokenizerChain chain;
  /// Its last step is ByteLevel: pieces go to the model as bytes.
  bool byte_level = false;
};
PretokenizerPart read_pretokenizer(const JsonObject& json);

TokenDecoder read_decoder(const JsonObject& json);

/// Fills parts.prefix and parts.suffix.   returns whether the file has a template
bool read_post_processor(const JsonObject& json, TokenizerParts& parts, int depth = 0);

std::vector<AddedToken> read_added_tokens(const JsonObject& root, const Vocabulary& vocabulary);

/// A pattern {"String": ...} or {"Regex": ...}.
struct JsonPattern {
  bool is_regex = false;
  std::string text;
};
JsonPattern read_pattern(const JsonObject& json);

}  // namespace tessera::text

#include "tessera/text/internal/tokenizer_config.h"

#include "tessera/core/internal/json.h"
#include "tessera/io/mapped_file.h"
#include "tessera/text/internal/tokenizer_json.h"

namespace tessera::text {
namespace {

/// The text of a token given as "text" or {"content": "text"}; nullopt when absent.
std::optional<std::string> token_name(const JsonObject& json, const char* key) {
  const nlohmann::json* value = json.find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_object()) return json.child(*value, key).string("content");
  return json.string(key);
}

std::optional<std::int32_t> find_token(const TokenizerParts& parts, std::string_view text) {
  for (const AddedToken& token : parts.added) {
    if (token.text == text) return token.id;
  }
  return parts.vocabulary->find(text);
}

void read_names(const JsonObject& json, TokenizerParts& parts) {
  const auto fill = [&](const char* key, std::optional<std::int32_t>& slot) {
    if (slot) return;
    if (const auto name = token_name(json, key)) slot = find_token(parts, *name);
  };
  fill("bos_token", parts.special.bos);
  fill("eos_token", parts.special.eos);
  fill("pad_token", parts.special.pad);
  fill("unk_token", parts.special.unk);
}

/// eos_token_id of generation_config.json: a number or a list of them.
void read_end_ids(const JsonObject& json, std::vector<std::int32_t>& ids) {
  const nlohmann::json* value = json.find("eos_token_id");
  if (value == nullptr) return;
  const auto add = [&](const nlohmann::json& id) {
    if (!id.is_number_integer()) {
      json.refuse(ErrorCode::bad_format, "\"eos_token_id\" must be an integer or a list of them");
    }
    ids.push_back(id.get<std::int32_t>());
  };
  if (value->is_array()) {
    for (const nlohmann::json& id : *value) add(id);
  } else {
    add(*value);
  }
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

nlohmann::json parse_large_json(std::string_view text, const std::string& file) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\0') fail(ErrorCode::bad_format, file, "is not valid JSON at byte {}", at + 1);
    if (in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > kDeepest) {
        fail(ErrorCode::bad_format, file, "nests JSON more than {} levels deep", kDeepest);
      }
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    fail(ErrorCode::bad_format, file, "is not valid JSON at byte {}", e.byte);
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::bad_format, file, "is not valid JSON: a number is out of range");
  }
}

void read_tokenizer_configs(const std::filesystem::path& folder, bool has_template,
                            TokenizerParts& parts) {
  const auto visit = [&](const char* name, auto read) {
    const std::filesystem::path path = folder / name;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return;
    const nlohmann::json json = parse_large_json(read_text_file(path), path.string());
    read(JsonObject(json, path.string(), "root"));
  };
  visit("tokenizer_config.json", [&](const JsonObject& json) {
    read_names(json, parts);
    if (has_template) return;
    if (json.boolean("add_bos_token", false) && parts.special.bos) {
      parts.prefix = {*parts.special.bos};
    }
    if (json.boolean("add_eos_token", false) && parts.special.eos) {
      parts.suffix = {*parts.special.eos};
    }
  });
  visit("special_tokens_map.json", [&](const JsonObject& json) { read_names(json, parts); });
  std::vector<std::int32_t> ends;
  visit("generation_config.json", [&](const JsonObject& json) { read_end_ids(json, ends); });
  if (parts.special.eos) ends.push_back(*parts.special.eos);
  parts.special.end_of_generation = end_of_generation_ids(parts.added, std::move(ends));
}

}  // namespace tessera::text

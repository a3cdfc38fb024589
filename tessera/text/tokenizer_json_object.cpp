#include "tessera/text/internal/tokenizer_json.h"

namespace tessera::text {

JsonObject::JsonObject(const nlohmann::json& value, std::string file, std::string name)
    : value_(&value), file_(std::move(file)), name_(std::move(name)) {
  if (!value.is_object()) {
    refuse(ErrorCode::bad_format, "expected an object, found {}", value.type_name());
  }
}

const nlohmann::json* JsonObject::find(const char* key) const {
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json& JsonObject::at(const char* key) const {
  const nlohmann::json* found = find(key);
  if (found == nullptr) refuse(ErrorCode::bad_format, "the field \"{}\" is missing", key);
  return *found;
}

std::string JsonObject::string(const char* key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) {
    refuse(ErrorCode::bad_format, "\"{}\" must be a string, it is {}", key, value.type_name());
  }
  return value.get<std::string>();
}

bool JsonObject::boolean(const char* key, bool fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) {
    refuse(ErrorCode::bad_format, "\"{}\" must be true or false, it is {}", key,
           value->type_name());
  }
  return value->get<bool>();
}

std::int64_t JsonObject::integer(const char* key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number_integer()) {
    refuse(ErrorCode::bad_format, "\"{}\" must be an integer, it is {}", key, value.type_name());
  }
  return value.get<std::int64_t>();
}

std::vector<JsonObject> JsonObject::objects(const char* key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_array()) {
    refuse(ErrorCode::bad_format, "\"{}\" must be an array, it is {}", key, value.type_name());
  }
  std::vector<JsonObject> result;
  for (std::size_t i = 0; i < value.size(); ++i) {
    result.push_back(child(value[i], fmt::format("{}[{}]", key, i)));
  }
  return result;
}

JsonPattern read_pattern(const JsonObject& json) {
  if (json.find("String") != nullptr) return {false, json.string("String")};
  return {true, json.string("Regex")};
}

}  // namespace tessera::text

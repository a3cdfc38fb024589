#include "tessera/text/internal/chat_template_files.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "tessera/core/internal/fail.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMaxFileBytes = 64u << 20;

std::optional<std::string> read_text(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  if (fs::file_size(path, error) > kMaxFileBytes) {
    fail(ErrorCode::bad_format, path.string(), "larger than {} bytes", kMaxFileBytes);
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) fail(ErrorCode::io, path.string(), "cannot be read");
  return std::move(text).str();
}

/// A token is written as a text or as an object with its text under "content".
std::string token_text(const json& config, const char* name) {
  const auto found = config.find(name);
  if (found == config.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_object()) return {};
  const auto content = found->find("content");
  return content != found->end() && content->is_string() ? content->get<std::string>() : "";
}

void add_configured(const json& config, const std::string& where, TemplateFiles& files) {
  const auto found = config.find("chat_template");
  if (found == config.end() || found->is_null()) return;
  if (found->is_string()) {
    files.templates.push_back({"default", found->get<std::string>()});
    return;
  }
  if (!found->is_array()) {
    fail(ErrorCode::bad_format, where, "chat_template must be a string or a list");
  }
  for (const json& entry : *found) {
    const bool named = entry.is_object() && entry.contains("name") && entry["name"].is_string() &&
                       entry.contains("template") && entry["template"].is_string();
    if (!named) {
      fail(ErrorCode::bad_format, where,
           "each entry of chat_template needs a name and a template, both strings");
    }
    files.templates.push_back(
        {entry["name"].get<std::string>(), entry["template"].get<std::string>()});
  }
}

void read_config(const fs::path& path, bool with_templates, TemplateFiles& files) {
  const auto text = read_text(path);
  if (!text) return;
  const json config = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) fail(ErrorCode::bad_format, path.string(), "not a JSON object");
  files.tokens.bos_token = token_text(config, "bos_token");
  files.tokens.eos_token = token_text(config, "eos_token");
  files.tokens.pad_token = token_text(config, "pad_token");
  files.tokens.unk_token = token_text(config, "unk_token");
  if (with_templates) add_configured(config, path.string(), files);
}

void add_additional(const fs::path& folder, TemplateFiles& files) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jinja") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    if (auto text = read_text(path)) {
      files.templates.push_back({path.stem().string(), std::move(*text)});
    }
  }
}

}  // namespace

TemplateFiles read_template_files(const fs::path& folder) {
  TemplateFiles files;
  if (auto text = read_text(folder / "chat_template.jinja")) {
    files.templates.push_back({"default", std::move(*text)});
  }
  add_additional(folder / "additional_chat_templates", files);
  read_config(folder / "tokenizer_config.json", /*with_templates=*/files.templates.empty(), files);
  if (files.templates.empty()) {
    fail(ErrorCode::not_found, folder.string(),
         "no chat template: neither chat_template.jinja nor a chat_template in "
         "tokenizer_config.json");
  }
  return files;
}

}  // namespace tessera

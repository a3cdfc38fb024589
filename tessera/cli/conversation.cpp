#include "tessera/cli/conversation.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tessera/cli/read_text.h"
#include "tessera/core/internal/fail.h"
#include "tessera/core/internal/json.h"

namespace tessera::cli {

void Conversation::add(std::string role, std::string content) {
  messages_.push_back({std::move(role), std::move(content)});
}

bool Conversation::drop_last(std::string_view role) {
  if (messages_.empty() || messages_.back().role != role) return false;
  messages_.pop_back();
  return true;
}

void Conversation::set_system(const std::string& text) {
  const bool has = !messages_.empty() && messages_.front().role == "system";
  if (has) messages_.erase(messages_.begin());
  if (!text.empty()) messages_.insert(messages_.begin(), {"system", text});
}

void Conversation::clear() {
  const std::size_t kept = !messages_.empty() && messages_.front().role == "system" ? 1 : 0;
  messages_.resize(kept);
}

void Conversation::save(const std::filesystem::path& path) const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ChatMessage& message : messages_) {
    list.push_back({{"role", message.role}, {"content", message.content}});
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  file.close();
  if (!file) {
    fail(ErrorCode::io, path.string(), "cannot be written: {}",
         std::generic_category().message(errno));
  }
}

void Conversation::load(const std::filesystem::path& path) {
  const nlohmann::json list = parse_json(read_text_file(path), path.string());
  std::vector<ChatMessage> loaded;
  try {
    for (const nlohmann::json& message : list) {
      loaded.push_back(
          {message.at("role").get<std::string>(), message.at("content").get<std::string>()});
    }
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::bad_format, path.string(),
         "is no conversation: a list of objects with \"role\" and \"content\"");
  }
  messages_ = std::move(loaded);
}

}  // namespace tessera::cli

// Conversation: the messages of a chat, and their file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tessera/text/chat_template.h"

namespace tessera::cli {

class Conversation {
 public:
  const std::vector<ChatMessage>& messages() const { return messages_; }
  bool empty() const { return messages_.empty(); }

  void add(std::string role, std::string content);
  /// Takes the last message away if it is of this role; whether it was.
  bool drop_last(std::string_view role);
  /// Puts, replaces or (when empty) takes away the system message.
  void set_system(const std::string& text);
  /// All but the system message.
  void clear();

  /// A JSON array of {"role", "content"}.   errors  io, not_found
  void save(const std::filesystem::path& path) const;
  /// errors  not_found, io, bad_format; the conversation is then as it was
  void load(const std::filesystem::path& path);

 private:
  std::vector<ChatMessage> messages_;
};

}  // namespace tessera::cli

// ChatTemplate: a conversation to a prompt, by the Jinja template that a model publishes.
//
//   ChatTemplate chat = ChatTemplate::from_folder("SmolLM2-135M-Instruct");
//   std::vector<ChatMessage> messages = {{"user", "What is 2 + 2?"}};
//   std::string prompt = chat.render(messages, {.add_generation_prompt = true});
//
// The output is character for character that of transformers' apply_chat_template (5.24; Jinja
// 3.1.6 with trim_blocks, lstrip_blocks and loop controls in its immutable sandbox). A template is
// code from a download: it can only compute text, and time, memory and recursion are bounded, so
// a hostile one ends in an Error.
//
// A user may type "<|im_end|>". render_segments() keeps template text and conversation text
// apart, so that the tokenizer reads control tokens from the template's words only:
//
//   for (const PromptSegment& s : chat.render_segments(messages)) ...  // s.text, s.from_user
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// One message of a conversation.
struct ChatMessage {
  std::string role;     ///< "system", "user", "assistant", "tool"
  std::string content;  ///< UTF-8; bytes outside valid UTF-8 pass through
  /// When not empty, the whole message as a JSON object, for tool calls, content parts and
  /// whatever else a template reads; role and content above are then not used.
  std::string json = {};
};

struct RenderOptions {
  /// End with the opening of an assistant turn.
  bool add_generation_prompt = false;
  /// The tools as a JSON array; empty for none.
  std::string tools_json = {};
  /// More names for the template as a JSON object: {"enable_thinking": false}.
  std::string extra_json = {};
  /// Local time for templates that print the date; empty for the system's clock.
  std::function<std::tm()> clock = {};
};

/// A piece of the prompt. Text from the conversation, the tools or extra_json is from_user: in it
/// the tokenizer must not read control tokens. The words of both kinds belong to one text, so a
/// token other than a control token may span pieces.
struct PromptSegment {
  std::string text;
  bool from_user = false;
  bool operator==(const PromptSegment&) const = default;
};

/// The tokens a template may name; an empty one is not defined in it.
struct TemplateTokens {
  std::string bos_token = {};
  std::string eos_token = {};
  std::string pad_token = {};
  std::string unk_token = {};
};

class ChatTemplate {
 public:
  /// errors  bad_format with the line of a syntax error
  explicit ChatTemplate(std::string source, TemplateTokens tokens = {});

  /// Reads a model folder: chat_template.jinja, else the chat_template of tokenizer_config.json (a
  /// text or a list of named ones), with additional_chat_templates/*.jinja and the tokens that
  /// tokenizer_config.json names. Of several templates "tool_use" serves conversations with tools
  /// and "default" the others.
  /// errors  not_found when there is none, io, bad_format
  static ChatTemplate from_folder(const std::filesystem::path& folder);

  /// The prompt. Keys of a message that are null count as absent, and a message's `thinking` or
  /// `reasoning` is also its `reasoning_content`, as in transformers.
  /// errors  invalid_argument with the template's message when it refuses the conversation
  ///         (raise_exception); bad_format for JSON that is none, with its byte, and for a
  ///         template that fails or uses up its budget, with its line
  std::string render(std::span<const ChatMessage> messages,
                     const RenderOptions& options = {}) const;
  std::vector<PromptSegment> render_segments(std::span<const ChatMessage> messages,
                                             const RenderOptions& options = {}) const;

  /// The prompt from all the template's names as one JSON object, {"messages": [...], "tools":
  /// ...}, taken as they are. Of the options only the clock is used.
  std::string render_json(std::string_view context_json, const RenderOptions& options = {}) const;
  std::vector<PromptSegment> render_segments_json(std::string_view context_json,
                                                  const RenderOptions& options = {}) const;

  /// The text of the template that serves conversations without tools.
  const std::string& source() const;

 private:
  struct Impl;
  explicit ChatTemplate(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace tessera

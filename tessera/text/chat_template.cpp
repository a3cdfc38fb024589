#include "tessera/text/chat_template.h"

#include <map>
#include <optional>
#include <utility>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/chat_template_files.h"
#include "tessera/text/internal/jinja/json.h"
#include "tessera/text/internal/jinja/template.h"

namespace tessera {
namespace {

using jinja::Dict;
using jinja::Runtime;
using jinja::Text;
using jinja::Value;
using Context = std::vector<std::pair<std::string, Value>>;

constexpr const char* kDefault = "default";
constexpr const char* kToolUse = "tool_use";

Value user_string(const std::string& text) {
  return Value::string(Text(text, /*from_user=*/true));
}

/// A message's fields as transformers hands them over: no nulls, reasoning under its usual name.
Value normalized_message(Runtime& runtime, const Dict& message) {
  static constexpr std::string_view kReasoning[] = {"reasoning_content", "thinking", "reasoning"};
  std::optional<Value> reasoning;
  for (std::string_view name : kReasoning) {
    const Value* found = message.find(name);
    if (found == nullptr || found->is_none()) continue;
    reasoning = *found;
    break;
  }
  auto fields = std::make_shared<Dict>();
  if (reasoning) fields->set(runtime, Value::string("thinking"), *reasoning);
  for (const auto& [key, value] : message.entries()) {
    if (!value.is_none()) fields->set(runtime, key, value);
  }
  if (reasoning) fields->set(runtime, Value::string("reasoning_content"), *reasoning);
  return Value(std::shared_ptr<const Dict>(std::move(fields)));
}

Value message_value(Runtime& runtime, const ChatMessage& message, std::size_t index) {
  if (!message.json.empty()) {
    const std::string where = fmt::format("messages[{}].json", index);
    const Value value = jinja::read_json(runtime, message.json, where.c_str());
    if (!value.is_dict()) fail(ErrorCode::bad_format, where, "a message must be a JSON object");
    return normalized_message(runtime, value.dict());
  }
  auto fields = std::make_shared<Dict>();
  fields->set(runtime, Value::string("role"), user_string(message.role));
  fields->set(runtime, Value::string("content"), user_string(message.content));
  return Value(std::shared_ptr<const Dict>(std::move(fields)));
}

void add_entries(Runtime& runtime, std::string_view json, const char* where, Context& context) {
  const Value value = jinja::read_json(runtime, json, where);
  if (!value.is_dict()) fail(ErrorCode::bad_format, where, "expected a JSON object");
  for (const auto& [key, item] : value.dict().entries()) {
    context.emplace_back(std::string(key.view()), item);
  }
}

std::vector<PromptSegment> to_segments(const Text& text) {
  std::vector<PromptSegment> segments;
  text.for_each_piece([&segments](std::string_view piece, bool from_user) {
    segments.push_back({std::string(piece), from_user});
  });
  return segments;
}

}  // namespace

struct ChatTemplate::Impl {
  Impl(const std::vector<NamedTemplate>& sources, const TemplateTokens& tokens) {
    for (const NamedTemplate& named : sources) {
      templates.insert_or_assign(named.name, jinja::Template(named.source));
      if (named.name == kDefault || source.empty()) source = named.source;
    }
    add_token("bos_token", tokens.bos_token);
    add_token("eos_token", tokens.eos_token);
    add_token("pad_token", tokens.pad_token);
    add_token("unk_token", tokens.unk_token);
  }

  void add_token(const char* name, const std::string& text) {
    if (!text.empty()) tokens.emplace_back(name, Value::string(text));
  }

  const jinja::Template& pick(bool with_tools) const {
    if (const auto found = templates.find(kToolUse); with_tools && found != templates.end()) {
      return found->second;
    }
    const auto found = templates.find(kDefault);
    return found != templates.end() ? found->second : templates.begin()->second;
  }

  Text render(std::span<const ChatMessage> messages, const RenderOptions& options) const {
    Runtime runtime({}, options.clock);
    std::vector<Value> list;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      list.push_back(message_value(runtime, messages[i], i));
    }
    Value tools;
    if (!options.tools_json.empty()) {
      tools = jinja::read_json(runtime, options.tools_json, "tools_json");
    }
    const bool with_tools = !tools.is_none();
    Context context = tokens;
    context.emplace_back("messages", Value::list(std::move(list)));
    context.emplace_back("tools", std::move(tools));
    context.emplace_back("documents", Value());
    context.emplace_back("add_generation_prompt", Value(options.add_generation_prompt));
    if (!options.extra_json.empty()) {
      add_entries(runtime, options.extra_json, "extra_json", context);
    }
    return pick(with_tools).render(runtime, std::move(context));
  }

  Text render_json(std::string_view context_json, const RenderOptions& options) const {
    Runtime runtime({}, options.clock);
    Context context = tokens;
    add_entries(runtime, context_json, "context_json", context);
    bool with_tools = false;
    for (const auto& [name, value] : context) {
      if (name == "tools") with_tools = !value.is_none();
    }
    return pick(with_tools).render(runtime, std::move(context));
  }

  std::map<std::string, jinja::Template> templates;
  std::string source;
  Context tokens;
};

ChatTemplate::ChatTemplate(std::string source, TemplateTokens tokens)
    : impl_(std::make_shared<const Impl>(std::vector<NamedTemplate>{{kDefault, std::move(source)}},
                                         tokens)) {}

ChatTemplate ChatTemplate::from_folder(const std::filesystem::path& folder) {
  const TemplateFiles files = read_template_files(folder);
  return ChatTemplate(std::make_shared<const Impl>(files.templates, files.tokens));
}

std::string ChatTemplate::render(std::span<const ChatMessage> messages,
                                 const RenderOptions& options) const {
  return impl_->render(messages, options).bytes();
}

std::vector<PromptSegment> ChatTemplate::render_segments(std::span<const ChatMessage> messages,
                                                         const RenderOptions& options) const {
  return to_segments(impl_->render(messages, options));
}

std::string ChatTemplate::render_json(std::string_view context_json,
                                      const RenderOptions& options) const {
  return impl_->render_json(context_json, options).bytes();
}

std::vector<PromptSegment> ChatTemplate::render_segments_json(std::string_view context_json,
                                                              const RenderOptions& options) const {
  return to_segments(impl_->render_json(context_json, options));
}

const std::string& ChatTemplate::source() const {
  return impl_->source;
}

}  // namespace tessera

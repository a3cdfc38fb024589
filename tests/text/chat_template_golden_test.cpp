// Every prompt and expression of the oracle's table, character for character.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tessera/core/error.h"
#include "tessera/text/chat_template.h"

namespace tessera {
namespace {

using nlohmann::ordered_json;

const ordered_json& golden() {
  static const ordered_json data = [] {
    std::ifstream file(TESSERA_GOLDENS "/chat_templates.json");
    return ordered_json::parse(file);
  }();
  return data;
}

/// The oracle's clock: 2024-12-31 08:05:09, a Tuesday.
std::tm oracle_clock() {
  std::tm time{};
  time.tm_year = 124;
  time.tm_mon = 11;
  time.tm_mday = 31;
  time.tm_hour = 8;
  time.tm_min = 5;
  time.tm_sec = 9;
  time.tm_wday = 2;
  time.tm_yday = 365;
  return time;
}

std::string context_of(const std::string& conversation) {
  ordered_json context = golden()["conversations"][conversation];
  if (!context.contains("tools")) context["tools"] = nullptr;
  context["documents"] = nullptr;
  return context.dump();
}

/// What a template makes of a context, in the oracle's form.
ordered_json outcome(const std::string& source, const std::string& context) {
  try {
    const TemplateTokens tokens{.bos_token = golden()["tokens"]["bos_token"],
                                .eos_token = golden()["tokens"]["eos_token"]};
    const ChatTemplate chat(source, tokens);
    const std::string text = chat.render_json(context, {.clock = oracle_clock});
    std::string joined;
    for (const PromptSegment& s : chat.render_segments_json(context, {.clock = oracle_clock})) {
      joined += s.text;
    }
    EXPECT_EQ(joined, text);
    return {{"text", text}};
  } catch (const Error& error) {
    const std::string message = std::string(error.what()).substr(error.where().size() + 2);
    if (error.code() == ErrorCode::invalid_argument) return {{"raised", message}};
    return {{"error", message}};
  }
}

void expect_like(const ordered_json& ours, const ordered_json& oracle) {
  // Messages of Python's own errors are not part of the contract, only that there is one.
  if (oracle.contains("error")) {
    EXPECT_TRUE(ours.contains("error")) << "oracle: " << oracle << "\nours: " << ours;
  } else {
    EXPECT_EQ(ours, oracle);
  }
}

TEST(ChatTemplateGolden, EveryPromptIsJinjas) {
  ASSERT_GE(golden()["prompts"].size(), 150u);
  for (const ordered_json& prompt : golden()["prompts"]) {
    const std::string name = prompt[0];
    const std::string conversation = prompt[1];
    SCOPED_TRACE(name + " x " + conversation);
    expect_like(outcome(golden()["templates"][name], context_of(conversation)), prompt[2]);
  }
}

TEST(ChatTemplateGolden, EveryExpressionIsJinjas) {
  ASSERT_GE(golden()["expressions"].size(), 150u);
  const std::string context = context_of("tools");
  for (const ordered_json& expression : golden()["expressions"]) {
    const std::string source = expression[0];
    SCOPED_TRACE(source);
    expect_like(outcome("{{ " + source + " }}", context), expression[1]);
  }
}

TEST(ChatTemplateGolden, EverySnippetIsJinjas) {
  ASSERT_GE(golden()["snippets"].size(), 100u);
  for (const ordered_json& snippet : golden()["snippets"]) {
    const std::string source = snippet[0];
    SCOPED_TRACE(source);
    expect_like(outcome(source, "{}"), snippet[1]);
  }
}

TEST(ChatTemplateGolden, MessagesAreCleanedAsTransformersDoes) {
  ASSERT_FALSE(golden()["normalized"].empty());
  for (const ordered_json& prompt : golden()["normalized"]) {
    SCOPED_TRACE(prompt["template"]);
    std::vector<ChatMessage> messages;
    for (const ordered_json& message : prompt["messages"]) {
      messages.push_back({.role = "", .content = "", .json = message.dump()});
    }
    const ChatTemplate chat(golden()["templates"][prompt["template"].get<std::string>()],
                            {.bos_token = "<s>", .eos_token = "</s>"});
    const RenderOptions options{.add_generation_prompt = true,
                                .tools_json = prompt["tools"].dump()};
    if (prompt.contains("error")) {
      EXPECT_THROW(chat.render(messages, options), Error);
    } else {
      EXPECT_EQ(chat.render(messages, options), prompt["text"].get<std::string>());
    }
  }
}

}  // namespace
}  // namespace tessera

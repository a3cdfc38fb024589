#include "tessera/text/chat_template.h"

#include <gtest/gtest.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tessera/core/error.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string render(const std::string& source, const std::string& context = "{}") {
  return ChatTemplate(source).render_json(context);
}

/// The error of a rendering, or one that says there was none.
Error failure(const std::string& source, const std::string& context = "{}") {
  try {
    render(source, context);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "test", "no error");
}

TEST(ChatTemplate, BlocksTakeTheirLineWithThem) {
  const std::string source =
      "{% for m in messages %}\n    {% if m.role == 'user' %}\n<|u|>{{ m.content }}\n    {% endif "
      "%}\n{% endfor %}\n{% if add_generation_prompt %}\n<|a|>\n{% endif %}\n";
  const std::vector<ChatMessage> messages = {
      {"system", "S"}, {"user", " hi "}, {"assistant", "yo"}, {"user", "2"}};
  EXPECT_EQ(ChatTemplate(source).render(messages, {.add_generation_prompt = true}),
            "<|u|> hi \n<|u|>2\n<|a|>\n");
}

TEST(ChatTemplate, OneTrailingNewlineIsDropped) {
  EXPECT_EQ(render("a\n"), "a");
  EXPECT_EQ(render("a\n\n"), "a\n");
  EXPECT_EQ(render("a\r\n\r\n"), "a\n");
}

TEST(ChatTemplate, AcceptsGenerationTagsWithEitherSign) {
  EXPECT_EQ(render("x {%- generation -%} y {%- endgeneration -%} z"), "xyz");
  EXPECT_EQ(render("{% generation %}\ny\n{% endgeneration %}\n"), "y\n");
}

TEST(ChatTemplate, RaiseExceptionIsAnErrorWithTheTemplatesWords) {
  const Error error = failure("a\nb{{ raise_exception('roles must ' ~ 'alternate') }}");
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_EQ(std::string(error.what()), "chat template, line 2: roles must alternate");
}

TEST(ChatTemplate, AFailureNamesItsLine) {
  EXPECT_EQ(failure("\n\n{{ nothing.more }}").where(), "chat template, line 3");
  EXPECT_EQ(failure("{% if x %}\n{% if y %}\n{% endif %}").where(), "chat template, line 3");
  EXPECT_EQ(failure("\n{{ 'open").where(), "chat template, line 2");
  EXPECT_EQ(failure("{% macro m() %}\n{{ 1/0 }}{% endmacro %}\n\n{{ m() }}").where(),
            "chat template, line 2");
  EXPECT_NE(std::string(failure("{{ nothing.more }}").what()).find("'nothing' is undefined"),
            std::string::npos);
  EXPECT_NE(std::string(failure("{{ [].append(1) }}").what()).find("namespace"), std::string::npos);
}

TEST(ChatTemplate, TheSameTemplateRendersAgainAfterAnError) {
  const ChatTemplate chat("{{ messages[0].content.missing.more if bad else messages[0].content }}");
  const std::vector<ChatMessage> messages = {{"user", "hi"}};
  EXPECT_THROW(chat.render(messages, {.extra_json = R"({"bad": true})"}), Error);
  EXPECT_EQ(chat.render(messages), "hi");
}

TEST(ChatTemplate, RefusesJsonThatIsNoneWithItsPlace) {
  const ChatTemplate chat("{{ tools }}");
  const std::vector<ChatMessage> messages = {{"user", "hi"}};
  const auto where = [&](const std::vector<ChatMessage>& list, const RenderOptions& options) {
    try {
      chat.render(list, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_format);
      return error.where();
    }
    return std::string("none");
  };
  EXPECT_EQ(where(messages, {.tools_json = "[{]"}), "tools_json");
  EXPECT_EQ(where(messages, {.extra_json = "[1]"}), "extra_json");
  EXPECT_EQ(where({{"user", "", "{\"role\":"}}, {}), "messages[0].json");
  EXPECT_EQ(where({{"user", "x"}, {"user", "", "[]"}}, {}), "messages[1].json");
  EXPECT_EQ(where(messages, {.tools_json = std::string(100000, '[')}), "tools_json");
  EXPECT_EQ(where(messages, {.tools_json = "\"\\ud800\""}), "tools_json");
}

TEST(ChatTemplate, NumbersOfTheInputKeepTheirDigits) {
  EXPECT_EQ(render("{{ n | tojson }} {{ n }} {{ n is integer }}",
                   R"({"n": 123456789012345678901234567890})"),
            "123456789012345678901234567890 123456789012345678901234567890 True");
  EXPECT_EQ(render("{{ n | tojson }}", R"({"n": [18446744073709551615, -0.0, 1e2, 5e-324]})"),
            "[18446744073709551615, -0.0, 100.0, 5e-324]");
}

TEST(ChatTemplate, TextOutsideValidUtf8PassesThrough) {
  const ChatTemplate chat("{{ messages[0].content | trim | replace('a', 'b') }}");
  const std::string bytes = std::string(" a\xFF\xE2\x80 \x00z", 8);
  const std::vector<ChatMessage> messages = {{"user", bytes}};
  EXPECT_EQ(chat.render(messages), std::string("b\xFF\xE2\x80 \x00z", 7));
  const std::vector<ChatMessage> large = {{"user", std::string(1 << 20, '\x80')}};
  EXPECT_EQ(chat.render(large).size(), std::size_t{1} << 20);
}

TEST(ChatTemplate, TheDateDoesNotDependOnTheHostsLocale) {
  const char* previous = std::setlocale(LC_ALL, nullptr);
  const std::string saved = previous == nullptr ? "C" : previous;
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  std::tm time{};
  time.tm_year = 126;
  time.tm_mon = 2;
  time.tm_mday = 5;
  time.tm_wday = 4;
  const ChatTemplate chat("{{ strftime_now('%a %d %B %Y') }} {{ 1.5 }}");
  EXPECT_EQ(chat.render({}, {.clock = [&] { return time; }}), "Thu 05 March 2026 1.5");
  std::setlocale(LC_ALL, saved.c_str());
}

TEST(ChatTemplate, OneObjectServesSeveralThreads) {
  const ChatTemplate chat("{% for m in messages %}{{ loop.index }}{{ m.content }}{% endfor %}");
  std::vector<std::thread> threads;
  std::vector<std::string> results(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::vector<ChatMessage> messages(20, {"user", std::string(1, char('a' + t))});
      for (int i = 0; i < 50; ++i) results[t] = chat.render(messages);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results[1].substr(0, 6), "1b2b3b");
  EXPECT_EQ(results[3].substr(0, 6), "1d2d3d");
}

// ---- loading from a folder ----------------------------------------------------------------------

class ChatTemplateFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("tessera_chat_" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "additional_chat_templates");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const fs::path& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string prompt(const RenderOptions& options = {}) {
    const std::vector<ChatMessage> messages = {{"user", "hi"}};
    return ChatTemplate::from_folder(folder_).render(messages, options);
  }
  ErrorCode code() {
    try {
      ChatTemplate::from_folder(folder_);
    } catch (const Error& error) {
      EXPECT_NE(error.where().find("tessera_chat_"), std::string::npos);
      return error.code();
    }
    return ErrorCode::internal;
  }

  fs::path folder_;
};

TEST_F(ChatTemplateFolder, ReadsTheConfigsTemplateAndTokens) {
  write("tokenizer_config.json",
        R"({"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": false},
            "chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"})");
  EXPECT_EQ(prompt(), "<s>hi</s>");
}

TEST_F(ChatTemplateFolder, TheJinjaFileComesFirst) {
  write("tokenizer_config.json", R"({"bos_token": "B", "chat_template": "config"})");
  write("chat_template.jinja", "file {{ bos_token }}\n");
  EXPECT_EQ(prompt(), "file B");
}

TEST_F(ChatTemplateFolder, PicksToolUseForConversationsWithTools) {
  write("tokenizer_config.json",
        R"({"chat_template": [{"name": "tool_use", "template": "tools"},
                              {"name": "default", "template": "plain"}]})");
  EXPECT_EQ(prompt(), "plain");
  EXPECT_EQ(prompt({.tools_json = "[]"}), "tools");
  EXPECT_EQ(ChatTemplate::from_folder(folder_).source(), "plain");
}

TEST_F(ChatTemplateFolder, ReadsAdditionalTemplates) {
  write("chat_template.jinja", "plain");
  write("additional_chat_templates/tool_use.jinja", "tools");
  EXPECT_EQ(prompt(), "plain");
  EXPECT_EQ(prompt({.tools_json = "[1]"}), "tools");
}

TEST_F(ChatTemplateFolder, SaysWhatIsMissingOrWrong) {
  EXPECT_EQ(code(), ErrorCode::not_found);
  write("tokenizer_config.json", R"({"bos_token": "<s>", "chat_template": null})");
  EXPECT_EQ(code(), ErrorCode::not_found);
  for (const char* broken : {"{", "[]", R"({"chat_template": 3})", R"({"chat_template": [{}]})"}) {
    write("tokenizer_config.json", broken);
    EXPECT_EQ(code(), ErrorCode::bad_format) << broken;
  }
}

}  // namespace
}  // namespace tessera

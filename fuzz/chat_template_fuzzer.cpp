// Any bytes are a chat template or an Error, and any template ends within its budget; what a user
// typed is never taken for the template's words.
//
// The input is a template, a zero byte, and the text of a message.
#include <algorithm>
#include <string>
#include <string_view>

#include "input.h"
#include "tessera/core/error.h"
#include "tessera/text/internal/jinja/json.h"
#include "tessera/text/internal/jinja/template.h"

namespace {

using tessera::jinja::Dict;
using tessera::jinja::Runtime;
using tessera::jinja::Text;
using tessera::jinja::Value;

constexpr std::string_view kTools =
    R"([{"function": {"name": "f", "parameters": {"type": "object", "properties": {"x": {}}}}}])";

Value message(Runtime& runtime, const std::string& role, const std::string& content) {
  auto fields = std::make_shared<Dict>();
  fields->set(runtime, Value::string("role"), Value::string(Text(role, true)));
  fields->set(runtime, Value::string("content"), Value::string(Text(content, true)));
  return Value(std::shared_ptr<const Dict>(std::move(fields)));
}

void check_runs(const Text& text) {
  std::size_t end = 0;
  bool first = true;
  for (const Text::Run& run : text.user_runs()) {
    tessera::require(run.begin < run.end && run.end <= text.size());
    tessera::require(first || run.begin > end);
    end = run.end;
    first = false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  const std::string source(input.substr(0, zero));
  const std::string content(input.substr(std::min(zero + 1, input.size())));
  try {
    const tessera::jinja::Template parsed(source);
    Runtime runtime({.work = 1 << 24, .allocation = 1 << 24, .depth = 200},
                    [] { return std::tm{}; });
    const Text text = parsed.render(
        runtime, {{"messages",
                   Value::list({message(runtime, "system", "s"), message(runtime, "user", content),
                                message(runtime, "assistant", "a b")})},
                  {"tools", tessera::jinja::read_json(runtime, kTools, "tools")},
                  {"bos_token", Value::string("<s>")},
                  {"add_generation_prompt", Value(true)}});
    check_runs(text);
  } catch (const tessera::Error& error) {
    // What raise_exception says is the template's own.
    if (error.code() != tessera::ErrorCode::invalid_argument) tessera::require_readable(error);
  }
  return 0;
}

#include "tessera/text/internal/tokenizer_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <optional>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

constexpr std::size_t kMaxPatternBytes = 1 << 16;
constexpr std::uint32_t kMatchLimit = 50'000'000;
constexpr std::uint32_t kHeapLimitKib = 256 * 1024;

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};
struct FreeCompileContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
struct FreeMatchContext {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

std::string pcre2_message(int code) {
  PCRE2_UCHAR buffer[256];
  if (pcre2_get_error_message(code, buffer, sizeof(buffer)) < 0) return "unknown fault";
  return reinterpret_cast<const char*>(buffer);
}

PCRE2_SPTR bytes_of(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

template <class T>
T* not_null(T* pointer) {
  if (pointer == nullptr) fail(ErrorCode::out_of_memory, "tokenizer regex", "PCRE2 has no memory");
  return pointer;
}

}  // namespace

struct Regex::Code {
  std::unique_ptr<pcre2_code, FreeCode> code;
  std::unique_ptr<pcre2_match_context, FreeMatchContext> limits;
};

Regex::Regex(std::string_view pattern) : pattern_(pattern), code_(std::make_unique<Code>()) {
  if (pattern.size() > kMaxPatternBytes) {
    fail(ErrorCode::bad_format, "tokenizer regex", "a pattern of {} bytes, at most {} are read",
         pattern.size(), kMaxPatternBytes);
  }
  const std::string translated = to_pcre2_syntax(pattern);
  const std::unique_ptr<pcre2_compile_context, FreeCompileContext> context(
      not_null(pcre2_compile_context_create(nullptr)));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // MULTILINE because ^ and $ are line anchors in Ruby syntax.
  code_->code.reset(pcre2_compile(bytes_of(translated), translated.size(),
                                  PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C,
                                  &error, &offset, context.get()));
  if (!code_->code) {
    fail(ErrorCode::bad_format, "tokenizer regex", "{} at byte {} of {} (respelled from {})",
         pcre2_message(error), offset, translated, pattern_);
  }
  // Where code generation is forbidden this fails, and matching is interpreted.
  pcre2_jit_compile(code_->code.get(), PCRE2_JIT_COMPLETE);
  code_->limits.reset(not_null(pcre2_match_context_create(nullptr)));
  pcre2_set_match_limit(code_->limits.get(), kMatchLimit);
  pcre2_set_heap_limit(code_->limits.get(), kHeapLimitKib);
}

Regex Regex::literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      escaped += fmt::format("\\x{:02x}", byte);
    } else {
      escaped += c;
    }
  }
  Regex regex(escaped);
  regex.pattern_ = text;
  return regex;
}

Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

void Regex::find_all(std::string_view text, std::vector<Range>& matches) const {
  const std::unique_ptr<pcre2_match_data, FreeMatchData> data(
      not_null(pcre2_match_data_create_from_pattern(code_->code.get(), nullptr)));
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(data.get());
  std::size_t at = 0;
  std::optional<std::size_t> last_end;
  while (at <= text.size()) {
    int found = pcre2_match(code_->code.get(), bytes_of(text), text.size(), at, PCRE2_NO_UTF_CHECK,
                            data.get(), code_->limits.get());
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
      found = pcre2_match(code_->code.get(), bytes_of(text), text.size(), at,
                          PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data.get(), code_->limits.get());
    }
    if (found == PCRE2_ERROR_NOMATCH) return;
    if (found < 0) {
      fail(ErrorCode::bad_format, "tokenizer regex", "{} at byte {} of the text, pattern {}",
           pcre2_message(found), at, pattern_);
    }
    const Range match{span[0], span[1]};
    // \K and lookbehind may move a match before the place where the search began.
    const bool forward = match.begin >= at && match.end >= match.begin;
    if (forward && !(match.size() == 0 && last_end == match.end)) {
      matches.push_back(match);
      at = match.end;
      last_end = match.end;
    } else {
      at += at < text.size() ? utf8_length(text[at]) : 1;
    }
  }
}

}  // namespace tessera::text

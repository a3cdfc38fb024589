#include "tessera/text/internal/jinja/lexer.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tessera/text/internal/jinja/string_literal.h"
#include "tessera/text/internal/jinja/template_error.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

/// "\r\n" and "\r" become "\n"; one newline at the very end is dropped.
std::string normalize(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out.push_back(source[i]);
      continue;
    }
    out.push_back('\n');
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) read_data();
    add(TokenType::end, "");
    return std::move(tokens_);
  }

 private:
  template <class... Args>
  [[noreturn]] void error(fmt::format_string<Args...> format, Args&&... args) const {
    template_error(line_, format, std::forward<Args>(args)...);
  }

  std::string_view rest() const { return std::string_view(source_).substr(at_); }
  bool looking_at(std::string_view text) const { return rest().starts_with(text); }

  void advance(std::size_t bytes) {
    line_ +=
        static_cast<int>(std::count(source_.begin() + at_, source_.begin() + at_ + bytes, '\n'));
    at_ += bytes;
    line_starting_ = bytes > 0 && source_[at_ - 1] == '\n';
  }
  void skip_space() { advance(unicode::skip_space(source_, at_) - at_); }

  void add(TokenType type, std::string text) {
    Token token;
    token.type = type;
    token.line = line_;
    token.text = std::move(text);
    tokens_.push_back(std::move(token));
  }

  /// Text up to the next tag, the tag's opening mark, and what is inside.
  void read_data() {
    const std::size_t tag = find_tag();
    if (tag == std::string::npos) {
      add(TokenType::data, source_.substr(at_));
      advance(source_.size() - at_);
      return;
    }
    const char kind = source_[tag + 1];
    const char sign = sign_at(tag + 2);
    add_stripped(tag, sign, /*strips_indent=*/kind != '{');
    advance(tag - at_);
    if (kind == '%' && read_raw()) return;
    advance(2 + (sign != 0 ? 1 : 0));
    if (kind == '#') return read_comment();
    const bool is_block = kind == '%';
    add(is_block ? TokenType::block_begin : TokenType::variable_begin, "");
    read_tag(is_block);
  }

  std::size_t find_tag() const {
    for (std::size_t i = source_.find('{', at_); i != std::string::npos;
         i = source_.find('{', i + 1)) {
      if (i + 1 < source_.size() &&
          (source_[i + 1] == '{' || source_[i + 1] == '%' || source_[i + 1] == '#')) {
        return i;
      }
    }
    return std::string::npos;
  }

  char sign_at(std::size_t at) const {
    return at < source_.size() && (source_[at] == '-' || source_[at] == '+') ? source_[at] : 0;
  }

  /// The text before a tag at byte `tag`, less the white space the tag takes away.
  void add_stripped(std::size_t tag, char sign, bool strips_indent) {
    std::string_view text = std::string_view(source_).substr(at_, tag - at_);
    if (sign == '-') {
      text = text.substr(0, unicode::trim_end(text, text.size()));
    } else if (sign == 0 && strips_indent) {
      const std::size_t newline = text.rfind('\n');
      const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
      const bool at_line_start = start > 0 || line_starting_;
      if (at_line_start && unicode::skip_space(text, start) == text.size()) {
        text = text.substr(0, start);
      }
    }
    if (!text.empty()) add(TokenType::data, std::string(text));
  }

  /// {% raw %}...{% endraw %}: true when that is what stands here.
  bool read_raw() {
    const auto begin = match_tag_name(at_, "raw");
    if (!begin) return false;
    advance(begin->end - at_);
    if (begin->sign == '-') skip_space();
    for (std::size_t i = source_.find("{%", at_); i != std::string::npos;
         i = source_.find("{%", i + 2)) {
      const auto finish = match_tag_name(i, "endraw");
      if (!finish) continue;
      add_stripped(i, sign_at(i + 2), /*strips_indent=*/true);
      advance(finish->end - at_);
      end_of_block(finish->sign);
      return true;
    }
    error("the raw block that begins here is never closed with {{% endraw %}}");
  }

  struct TagMatch {
    std::size_t end;
    char sign;
  };

  /// A tag that consists of `name` alone, at byte `at`.
  std::optional<TagMatch> match_tag_name(std::size_t at, std::string_view name) const {
    std::size_t i = at + 2;
    if (sign_at(i) != 0) ++i;
    i = unicode::skip_space(source_, i);
    if (std::string_view(source_).substr(i, name.size()) != name) return std::nullopt;
    i = unicode::skip_space(source_, i + name.size());
    const char sign = sign_at(i);
    if (sign != 0) ++i;
    if (std::string_view(source_).substr(i, 2) != "%}") return std::nullopt;
    if (sign == '+' && name == "raw") return std::nullopt;
    return TagMatch{i + 2, sign};
  }

  /// After "%}" or "#}": a minus takes all white space, otherwise one newline goes.
  void end_of_block(char sign) {
    if (sign == '-') {
      const std::size_t end = unicode::skip_space(source_, at_);
      if (end > at_) advance(end - at_);
    } else if (sign == 0 && looking_at("\n")) {
      advance(1);
    }
  }

  void read_comment() {
    const std::size_t end = source_.find("#}", at_);
    if (end == std::string::npos) error("the comment that begins here is never closed with #}}");
    const char sign = end > at_ ? sign_at(end - 1) : 0;
    advance(end + 2 - at_);
    end_of_block(sign);
  }

  void read_tag(bool is_block) {
    const std::string_view close = is_block ? "%}" : "}}";
    const int begin_line = line_;
    brackets_.clear();
    while (true) {
      skip_space();
      if (at_ >= source_.size()) {
        line_ = begin_line;
        error("the tag that begins here is never closed with {}", close);
      }
      if (brackets_.empty() && read_close(close, is_block)) return;
      read_token();
    }
  }

  bool read_close(std::string_view close, bool is_block) {
    const char sign = sign_at(at_);
    const std::size_t skip = sign != 0 ? 1 : 0;
    if (rest().substr(skip, 2) != close || (sign == '+' && !is_block)) return false;
    add(is_block ? TokenType::block_end : TokenType::variable_end, "");
    advance(skip + 2);
    if (is_block) {
      end_of_block(sign);
    } else if (sign == '-') {
      const std::size_t end = unicode::skip_space(source_, at_);
      if (end > at_) advance(end - at_);
    }
    return true;
  }

  void read_token() {
    const char c = source_[at_];
    if (is_digit(c)) return read_number();
    if (c == '\'' || c == '"') return read_string(c);
    const unicode::Character first = unicode::decode(source_, at_);
    if (unicode::is_word(first.code)) return read_name();
    read_operator();
  }

  void read_name() {
    std::size_t end = at_;
    while (end < source_.size()) {
      const unicode::Character character = unicode::decode(source_, end);
      const bool joins = unicode::is_word(character.code) || character.code == 0x200D;
      if (!joins) break;
      end += character.size;
    }
    add(TokenType::name, source_.substr(at_, end - at_));
    advance(end - at_);
  }

  /// Digits with single underscores between them, from `i`; the position after them.
  std::size_t digits_end(std::size_t i) const {
    while (i < source_.size() &&
           (is_digit(source_[i]) || (source_[i] == '_' && i > at_ && is_digit(source_[i - 1]) &&
                                     i + 1 < source_.size() && is_digit(source_[i + 1])))) {
      ++i;
    }
    return i;
  }

  void read_number() {
    if (source_[at_] == '0' && at_ + 1 < source_.size() && read_based_integer()) return;
    const std::size_t whole_end = digits_end(at_);
    std::size_t end = whole_end;
    // In "a.0.1" the numbers are indices.
    const bool may_be_float = at_ == 0 || source_[at_ - 1] != '.';
    if (may_be_float && end + 1 < source_.size() && source_[end] == '.' &&
        is_digit(source_[end + 1])) {
      end = digits_end(end + 1);
    }
    if (may_be_float && end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
      std::size_t exponent = end + 1;
      if (exponent < source_.size() && (source_[exponent] == '+' || source_[exponent] == '-')) {
        ++exponent;
      }
      if (exponent < source_.size() && is_digit(source_[exponent])) end = digits_end(exponent);
    }
    std::string digits = source_.substr(at_, end - at_);
    std::erase(digits, '_');
    if (end > whole_end) {
      add(TokenType::floating, "");
      std::from_chars(digits.data(), digits.data() + digits.size(), tokens_.back().floating);
    } else {
      add_integer(digits, 10);
    }
    advance(end - at_);
  }

  bool read_based_integer() {
    const char letter = static_cast<char>(source_[at_ + 1] | 0x20);
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (base == 0) return false;
    std::size_t end = at_ + 2;
    std::string digits;
    for (; end < source_.size(); ++end) {
      const char c = static_cast<char>(source_[end] | 0x20);
      const int digit = is_digit(source_[end])   ? source_[end] - '0'
                        : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                                                 : 99;
      if (source_[end] == '_') continue;
      if (digit >= base) break;
      digits.push_back(source_[end]);
    }
    if (digits.empty()) return false;
    add_integer(digits, base);
    advance(end - at_);
    return true;
  }

  void add_integer(const std::string& digits, int base) {
    std::int64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (result.ec != std::errc()) error("the integer {} does not fit 64 bits", digits);
    add(TokenType::integer, "");
    tokens_.back().integer = value;
  }

  void read_string(char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) error("the string that begins here is never closed with {}", quote);
    std::string value;
    const std::string_view body = std::string_view(source_).substr(at_ + 1, end - at_ - 1);
    if (!unescape_literal(body, value)) error("a bad escape in the string {}", body);
    add(TokenType::string, std::move(value));
    advance(end + 1 - at_);
  }

  void read_operator() {
    static constexpr std::string_view kOperators[] = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    for (std::string_view op : kOperators) {
      if (!looking_at(op)) continue;
      balance(op.front());
      add(TokenType::op, std::string(op));
      advance(op.size());
      return;
    }
    error("unexpected character '{}'", rest().substr(0, unicode::decode(source_, at_).size));
  }

  void balance(char op) {
    if (op == '{') brackets_.push_back('}');
    if (op == '(') brackets_.push_back(')');
    if (op == '[') brackets_.push_back(']');
    if (op != '}' && op != ')' && op != ']') return;
    if (brackets_.empty()) error("unexpected '{}'", op);
    if (brackets_.back() != op) error("unexpected '{}', expected '{}'", op, brackets_.back());
    brackets_.pop_back();
  }

  std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::string brackets_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) {
  return Lexer(normalize(source)).run();
}

}  // namespace tessera::jinja

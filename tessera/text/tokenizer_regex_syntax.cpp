#include <vector>

#include "tessera/core/internal/fail.h"
#include "tessera/text/internal/tokenizer_regex.h"

namespace tessera::text {
namespace {

// Members of a character class. Oniguruma's \s is Unicode White_Space; PCRE2's has U+180E besides.
constexpr std::string_view kSpace =
    R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";
constexpr std::string_view kNotSpace =
    R"(\x00-\x08\x0e-\x1f\x21-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{d7ff}\x{e000}-\x{10ffff})";
// Alphabetic, marks, decimal digits and connectors; in Latin-1 also the superscripts and fractions.
constexpr std::string_view kWord =
    R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{b2}\x{b3}\x{b9}\x{bc}-\x{be}\x{24b6}-\x{24e9})"
    R"(\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189})";
constexpr std::string_view kHex = "0-9A-Fa-f";

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string run() {
    while (at_ < pattern_.size()) step();
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    fail(ErrorCode::bad_format, "tokenizer regex", "{} at byte {} of the pattern {}", what, at_,
         pattern_);
  }

  bool starts(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }

  /// The next construct is one that a quantifier would apply to.
  void atom() { last_atom_ = out_.size(); }

  void copy(std::size_t bytes) {
    out_ += pattern_.substr(at_, bytes);
    at_ += bytes;
  }

  void step() {
    const char c = pattern_[at_];
    if (c == '\\') {
      atom();
      escape(/*in_class=*/false);
    } else if (c == '[') {
      atom();
      character_class();
    } else if (c == '(') {
      groups_.push_back(out_.size());
      copy(1);
    } else if (c == ')') {
      if (!groups_.empty()) {
        last_atom_ = groups_.back();
        groups_.pop_back();
      }
      copy(1);
    } else if (c == '{') {
      interval();
    } else {
      atom_unless_quantifier(c);
    }
  }

  void atom_unless_quantifier(char c) {
    if (c != '*' && c != '+' && c != '?' && (static_cast<unsigned char>(c) & 0xC0) != 0x80) atom();
    copy(1);
  }

  /// `{m,n}+` means "repeat that" in Ruby syntax, "possessive" in PCRE2.
  void interval() {
    const std::size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos) return atom_unless_quantifier('{');
    copy(close + 1 - at_);
    if (at_ < pattern_.size() && pattern_[at_] == '+') {
      out_.insert(last_atom_, "(?:");
      out_ += ')';
    }
  }

  void escape(bool in_class) {
    if (at_ + 1 >= pattern_.size()) refuse("a lone backslash");
    const char c = pattern_[at_ + 1];
    const auto put = [&](std::string_view members) {
      at_ += 2;
      out_ += in_class ? std::string(members) : fmt::format("[{}]", members);
    };
    const auto put_negated = [&](std::string_view members) {
      if (in_class) refuse("a negated shorthand inside a character class");
      at_ += 2;
      out_ += fmt::format("[^{}]", members);
    };
    switch (c) {
      case 's':
        return put(kSpace);
      case 'S':
        return put(kNotSpace);
      case 'w':
        return put(kWord);
      case 'W':
        return put_negated(kWord);
      case 'h':
        return put(kHex);
      case 'H':
        return put_negated(kHex);
      case 'b':
      case 'B':
        if (in_class) return copy(2);
        return boundary(c == 'b');
      case 'u':
        return unicode_escape();
      case 'p':
      case 'P':
        return property();
      default:
        // A multi-byte character after the backslash stays whole: its other bytes follow as text.
        return copy(2);
    }
  }

  void boundary(bool at_boundary) {
    at_ += 2;
    out_ += at_boundary ? fmt::format("(?:(?<=[{0}])(?![{0}])|(?<![{0}])(?=[{0}]))", kWord)
                        : fmt::format("(?:(?<=[{0}])(?=[{0}])|(?<![{0}])(?![{0}]))", kWord);
  }

  void unicode_escape() {
    const std::string_view digits = pattern_.substr(at_ + 2, 4);
    if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) {
      refuse("\\u without four hexadecimal digits");
    }
    out_ += fmt::format("\\x{{{}}}", digits);
    at_ += 6;
  }

  void property() {
    const std::size_t close = pattern_.find('}', at_);
    if (pattern_.size() > at_ + 2 && pattern_[at_ + 2] == '{' && close != std::string_view::npos) {
      return copy(close + 1 - at_);
    }
    copy(2);
  }

  void character_class() {
    copy(1);
    if (starts("^")) copy(1);
    if (starts("]")) {
      out_ += '\\';
      copy(1);
    }
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      if (pattern_[at_] == '\\') {
        escape(/*in_class=*/true);
      } else if (starts("[:")) {
        const std::size_t close = pattern_.find(":]", at_);
        if (close == std::string_view::npos) refuse("an unclosed POSIX class");
        copy(close + 2 - at_);
      } else if (starts("[")) {
        refuse("a character class inside a character class, which PCRE2 does not have,");
      } else if (starts("&&")) {
        refuse("a class intersection &&, which PCRE2 does not have,");
      } else {
        copy(1);
      }
    }
    if (at_ == pattern_.size()) refuse("an unclosed character class");
    copy(1);
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t last_atom_ = 0;
  std::vector<std::size_t> groups_;
};

}  // namespace

std::string to_pcre2_syntax(std::string_view pattern) {
  return Translator(pattern).run();
}

}  // namespace tessera::text

// Regular expressions of tokenizer files: written for Oniguruma (the engine behind Hugging Face
// tokenizers), run by PCRE2.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::text {

/// A half-open byte range [begin, end) of some text.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// An Oniguruma (Ruby syntax) pattern respelled for PCRE2: the classes \s \w \h and the boundaries
/// \b mean other sets there, `{m,n}+` is greedy-repeat and not possessive, \uHHHH is spelled \x{}.
/// errors  bad_format for class intersection and nested classes, which PCRE2 does not have
std::string to_pcre2_syntax(std::string_view pattern);

/// A compiled pattern; immutable, so any number of threads may search with it at once.
class Regex {
 public:
  /// errors  bad_format naming the pattern, the offset and the fault
  explicit Regex(std::string_view pattern);
  /// A pattern that finds exactly this text.
  static Regex literal(std::string_view text);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  /// All matches from left to right, not overlapping. An empty match counts where it does
  /// not touch the match before it (a lookahead alone cuts text in two).
  /// `text` must be valid UTF-8.   errors  bad_format when the pattern backtracks without bound
  void find_all(std::string_view text, std::vector<Range>& matches) const;

  const std::string& pattern() const { return pattern_; }

 private:
  struct Code;
  std::string pattern_;
  std::unique_ptr<Code> code_;
};

}  // namespace tessera::text

#include "tessera/text/internal/jinja/word_wrap.h"

#include <algorithm>
#include <deque>

#include "tessera/text/internal/jinja/runtime.h"
#include "tessera/text/internal/jinja/unicode.h"

namespace tessera::jinja {
namespace {

struct Chunk {
  Text text;
  std::int64_t width;  // characters
  bool blank;
};

/// Only ASCII blanks divide words: a no-break space must not be broken at.
bool is_blank(char32_t code) {
  return code == ' ' || (code >= 9 && code <= 13);
}

/// Where a word may be divided: after a hyphen between two letters on its left and one on its
/// right ("well-known", not "x-y" or "-o").
std::size_t hyphen_end(std::string_view word, std::size_t from) {
  const auto is_letter = [&](std::size_t at) {
    const char32_t code = unicode::decode(word, at).code;
    return unicode::is_word(code) && !unicode::is_numeric(code) && code != '_';
  };
  for (std::size_t i = word.find('-', from); i != std::string_view::npos;
       i = word.find('-', i + 1)) {
    if (i < from + 2 || i + 1 >= word.size()) continue;
    const std::size_t last = i - unicode::decode_before(word, i).size;
    if (last <= from) continue;
    const std::size_t before_last = last - unicode::decode_before(word, last).size;
    if (is_letter(last) && is_letter(before_last) && is_letter(i + 1)) return i + 1;
  }
  return word.size();
}

Chunk make_chunk(const Text& line, std::size_t begin, std::size_t end, bool blank) {
  Text text = line.slice(begin, end);
  const auto width = static_cast<std::int64_t>(unicode::count(text.view()));
  return {std::move(text), width, blank};
}

std::deque<Chunk> divide(Runtime& runtime, const Text& line, bool on_hyphens) {
  std::deque<Chunk> chunks;
  const std::string_view bytes = line.view();
  for (std::size_t at = 0; at < bytes.size();) {
    const bool blank = is_blank(unicode::decode(bytes, at).code);
    std::size_t end = at;
    while (end < bytes.size() && is_blank(unicode::decode(bytes, end).code) == blank) {
      end += unicode::decode(bytes, end).size;
    }
    if (!blank && on_hyphens) end = hyphen_end(bytes.substr(0, end), at);
    runtime.allocate(sizeof(Chunk) + end - at);
    chunks.push_back(make_chunk(line, at, end, blank));
    at = end;
  }
  return chunks;
}

/// Moves as much of an overlong word as fits (one character at least) onto the line.
void break_word(std::deque<Chunk>& chunks, Text& line, std::int64_t room, const WrapOptions& how) {
  const Text word = chunks.front().text;
  std::size_t cut =
      unicode::offset(word.view(), static_cast<std::size_t>(std::max<std::int64_t>(room, 1)));
  if (how.break_on_hyphens && chunks.front().width > room) {
    const std::size_t hyphen = word.view().substr(0, cut).rfind('-');
    const bool only_hyphens =
        hyphen == std::string_view::npos ||
        word.view().substr(0, hyphen).find_first_not_of('-') == std::string_view::npos;
    if (!only_hyphens && hyphen > 0) cut = hyphen + 1;
  }
  line.append(word, 0, cut);
  chunks.front() = make_chunk(word, cut, word.size(), false);
  if (chunks.front().width == 0) chunks.pop_front();
}

}  // namespace

std::vector<Text> word_wrap(Runtime& runtime, const Text& source, const WrapOptions& options) {
  if (options.width <= 0) runtime.fail("wordwrap: the width must be positive");
  std::deque<Chunk> chunks = divide(runtime, source, options.break_on_hyphens);
  std::vector<Text> lines;
  while (!chunks.empty()) {
    runtime.step();
    // A line never begins with blanks, but for the first one.
    if (!lines.empty() && chunks.front().blank) chunks.pop_front();
    Text line;
    std::int64_t width = 0;
    bool ends_blank = false;
    std::size_t blank_begin = 0;
    while (!chunks.empty() && width + chunks.front().width <= options.width) {
      ends_blank = chunks.front().blank;
      blank_begin = line.size();
      width += chunks.front().width;
      line.append(chunks.front().text);
      chunks.pop_front();
    }
    if (!chunks.empty() && chunks.front().width > options.width) {
      if (options.break_long_words) {
        runtime.work(chunks.front().text.size());
        break_word(chunks, line, options.width - width, options);
        ends_blank = false;
      } else if (line.empty()) {
        line.append(chunks.front().text);
        ends_blank = chunks.front().blank;
        blank_begin = 0;
        chunks.pop_front();
      }
    }
    if (ends_blank) line = line.slice(0, blank_begin);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tessera::jinja

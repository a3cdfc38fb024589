// Where a text without pre-tokenizer may be cut without changing its tokens.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tessera/text/internal/tokenizer_vocab.h"

namespace tessera::text {

/// The mark that SentencePiece vocabularies write for a space, U+2581.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

/// A merge only joins what stands side by side inside some token. So if no token holds the
/// character X followed by U+2581, the text may be cut between these two, and words can be cached.
class WordBarrier {
 public:
  /// nullopt when U+2581 is no token itself (it could then be part of an unknown run).
  static std::optional<WordBarrier> make(const Vocabulary& vocabulary);

  template <class F>
  void for_each_word(std::string_view text, const F& visit) const {
    std::size_t begin = 0;
    for (std::size_t mark = text.find(kSpaceMark, 1); mark != text.npos;
         mark = text.find(kSpaceMark, mark + kSpaceMark.size())) {
      if (!may_cut_before(text, mark)) continue;
      visit(text.substr(begin, mark - begin));
      begin = mark;
    }
    if (begin < text.size()) visit(text.substr(begin));
  }

 private:
  bool may_cut_before(std::string_view text, std::size_t mark) const;

  std::vector<char32_t> joined_;  // characters that some token has in front of U+2581; sorted
};

}  // namespace tessera::text

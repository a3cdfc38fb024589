// Pre-tokenizers: cut normalized text into the pieces inside which a model may merge.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/text/internal/tokenizer_regex.h"

namespace tessera::text {

/// Text and the pieces of it, in order. Steps cut pieces further or rewrite the text.
class PretokenizedText {
 public:
  /// One piece that is all of `text`, which must outlive this object.
  /// at_start: the piece stands at the very beginning of what the caller encodes.
  PretokenizedText(std::string_view text, bool at_start);
  PretokenizedText(const PretokenizedText&) = delete;
  PretokenizedText& operator=(const PretokenizedText&) = delete;

  std::string_view text() const { return text_; }
  std::string_view piece(const Range& range) const {
    return text_.substr(range.begin, range.size());
  }

  bool at_start = false;
  std::vector<Range> pieces;

  /// Takes a rewritten text; the caller sets `pieces` to ranges of it.
  void set_text(std::string text);

 private:
  std::string storage_;
  std::string_view text_;
};

/// One step; immutable, so any number of threads may apply it.
class Pretokenizer {
 public:
  virtual ~Pretokenizer() = default;
  virtual void apply(PretokenizedText& text) const = 0;
};

/// What becomes of the delimiters (the matches) of a split.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// invert: the text between the matches is the delimiter.
std::unique_ptr<Pretokenizer> make_regex_split(Regex pattern, SplitBehavior behavior, bool invert);
/// A delimiter is one character for which the predicate holds.
std::unique_ptr<Pretokenizer> make_character_split(bool (*is_delimiter)(char32_t),
                                                   SplitBehavior behavior);
/// Runs of word characters and runs of the rest, white space dropped.
std::unique_ptr<Pretokenizer> make_whitespace_pretokenizer();

enum class PrependScheme { always, first, never };
/// Spaces become `replacement`, one is put in front as the scheme says; a piece then starts at
/// each.
std::unique_ptr<Pretokenizer> make_metaspace_pretokenizer(std::string replacement,
                                                          PrependScheme scheme, bool split);

/// A space in front of any piece that does not begin with one.
std::unique_ptr<Pretokenizer> make_prefix_space_pretokenizer();
/// Each byte becomes the character that byte-level vocabularies write for it.
std::unique_ptr<Pretokenizer> make_byte_alphabet_pretokenizer();

/// The pattern of GPT-2, which ByteLevel with use_regex applies.
extern const std::string_view kGpt2Pattern;

using PretokenizerChain = std::vector<std::unique_ptr<Pretokenizer>>;

}  // namespace tessera::text

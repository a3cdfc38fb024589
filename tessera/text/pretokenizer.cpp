#include "tessera/text/internal/pretokenizer.h"

#include <algorithm>

#include "tessera/core/function_ref.h"
#include "tessera/text/internal/bpe_byte_alphabet.h"
#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {

const std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

PretokenizedText::PretokenizedText(std::string_view text, bool starts)
    : at_start(starts), text_(text) {
  if (!text.empty()) pieces.push_back({0, text.size()});
}

void PretokenizedText::set_text(std::string text) {
  storage_ = std::move(text);
  text_ = storage_;
}

namespace {

/// A stretch of a piece: a delimiter or the text between two of them.
struct Stretch {
  Range range;
  bool delimiter = false;
};

/// Joins stretches as the behaviour says and appends what is left of them.
void join_stretches(const std::vector<Stretch>& stretches, SplitBehavior behavior,
                    std::vector<Range>& out) {
  const std::size_t first_new = out.size();
  const auto joins = [&](const Stretch& stretch, bool previous_is_delimiter) {
    if (out.size() == first_new) return false;
    if (behavior == SplitBehavior::contiguous) return stretch.delimiter == previous_is_delimiter;
    return stretch.delimiter && !previous_is_delimiter;
  };
  bool previous = false;
  switch (behavior) {
    case SplitBehavior::removed:
    case SplitBehavior::isolated:
      for (const Stretch& stretch : stretches) {
        if (behavior == SplitBehavior::removed && stretch.delimiter) continue;
        if (stretch.range.size() > 0) out.push_back(stretch.range);
      }
      return;
    case SplitBehavior::contiguous:
    case SplitBehavior::merged_with_previous:
      for (const Stretch& stretch : stretches) {
        if (joins(stretch, previous)) {
          out.back().end = stretch.range.end;
        } else {
          out.push_back(stretch.range);
        }
        previous = stretch.delimiter;
      }
      break;
    case SplitBehavior::merged_with_next:
      for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
        if (joins(*stretch, previous)) {
          out.back().begin = stretch->range.begin;
        } else {
          out.push_back(stretch->range);
        }
        previous = stretch->delimiter;
      }
      std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first_new), out.end());
      break;
  }
  out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(first_new), out.end(),
                           [](const Range& range) { return range.size() == 0; }),
            out.end());
}

/// Cuts every piece at the delimiters that `find` reports for it.
void split_pieces(PretokenizedText& text, SplitBehavior behavior, bool invert,
                  function_ref<void(std::string_view piece, std::vector<Range>& found)> find) {
  std::vector<Range> out;
  out.reserve(text.pieces.size());
  std::vector<Range> found;
  std::vector<Stretch> stretches;
  for (const Range& piece : text.pieces) {
    found.clear();
    stretches.clear();
    find(text.piece(piece), found);
    std::size_t at = piece.begin;
    for (const Range& match : found) {
      const Range absolute{piece.begin + match.begin, piece.begin + match.end};
      if (absolute.begin > at) stretches.push_back({{at, absolute.begin}, invert});
      stretches.push_back({absolute, !invert});
      at = absolute.end;
    }
    if (at < piece.end) stretches.push_back({{at, piece.end}, invert});
    join_stretches(stretches, behavior, out);
  }
  text.pieces = std::move(out);
}

class RegexSplit final : public Pretokenizer {
 public:
  RegexSplit(Regex pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  void apply(PretokenizedText& text) const override {
    split_pieces(text, behavior_, invert_, [&](std::string_view piece, std::vector<Range>& found) {
      pattern_.find_all(piece, found);
    });
  }

 private:
  Regex pattern_;
  SplitBehavior behavior_;
  bool invert_;
};

class CharacterSplit final : public Pretokenizer {
 public:
  CharacterSplit(bool (*is_delimiter)(char32_t), SplitBehavior behavior)
      : is_delimiter_(is_delimiter), behavior_(behavior) {}

  void apply(PretokenizedText& text) const override {
    split_pieces(text, behavior_, false, [&](std::string_view piece, std::vector<Range>& found) {
      for (std::size_t at = 0; at < piece.size();) {
        const Utf8Step step = utf8_step_valid(piece, at);
        if (is_delimiter_(step.code_point)) found.push_back({at, at + step.length});
        at += step.length;
      }
    });
  }

 private:
  bool (*is_delimiter_)(char32_t);
  SplitBehavior behavior_;
};

class WhitespacePretokenizer final : public Pretokenizer {
 public:
  void apply(PretokenizedText& text) const override {
    split_pieces(text, SplitBehavior::isolated, false,
                 [](std::string_view piece, std::vector<Range>& found) {
                   int kind = -1;
                   for (std::size_t at = 0; at < piece.size();) {
                     const Utf8Step step = utf8_step_valid(piece, at);
                     const int next = kind_of(step.code_point);
                     if (next != kind) found.push_back({at, at});
                     found.back().end = at + step.length;
                     kind = next;
                     at += step.length;
                   }
                 });
    std::erase_if(text.pieces, [&](const Range& piece) {
      return is_whitespace(utf8_step_valid(text.text(), piece.begin).code_point);
    });
  }

 private:
  static int kind_of(char32_t c) { return is_word(c) ? 0 : is_whitespace(c) ? 1 : 2; }
};

class Metaspace final : public Pretokenizer {
 public:
  Metaspace(std::string replacement, PrependScheme scheme, bool split)
      : replacement_(std::move(replacement)), scheme_(scheme), split_(split) {}

  void apply(PretokenizedText& text) const override {
    std::string out;
    out.reserve(text.text().size() + 16);
    std::vector<Range> pieces;
    for (const Range& range : text.pieces) {
      const std::string_view piece = text.piece(range);
      const std::size_t begin = out.size();
      const bool wants_prefix =
          scheme_ == PrependScheme::always ||
          (scheme_ == PrependScheme::first && text.at_start && range.begin == 0);
      if (wants_prefix && !piece.starts_with(' ') && !piece.starts_with(replacement_)) {
        out += replacement_;
      }
      for (const char c : piece) {
        if (c == ' ') {
          out += replacement_;
        } else {
          out += c;
        }
      }
      pieces.push_back({begin, out.size()});
    }
    text.set_text(std::move(out));
    text.pieces = std::move(pieces);
    if (split_) {
      split_pieces(text, SplitBehavior::merged_with_next, false,
                   [&](std::string_view piece, std::vector<Range>& found) {
                     for (std::size_t at = piece.find(replacement_); at != piece.npos;
                          at = piece.find(replacement_, at + replacement_.size())) {
                       found.push_back({at, at + replacement_.size()});
                     }
                   });
    }
  }

 private:
  std::string replacement_;
  PrependScheme scheme_;
  bool split_;
};

class PrefixSpace final : public Pretokenizer {
 public:
  void apply(PretokenizedText& text) const override {
    std::string out;
    out.reserve(text.text().size() + text.pieces.size());
    for (Range& range : text.pieces) {
      const std::string_view piece = text.piece(range);
      const std::size_t begin = out.size();
      if (!piece.starts_with(' ')) out += ' ';
      out += piece;
      range = {begin, out.size()};
    }
    text.set_text(std::move(out));
  }
};

class ByteAlphabetPretokenizer final : public Pretokenizer {
 public:
  void apply(PretokenizedText& text) const override {
    std::string out;
    out.reserve(text.text().size() * 2);
    for (Range& range : text.pieces) {
      const std::size_t begin = out.size();
      append_byte_alphabet(out, text.piece(range));
      range = {begin, out.size()};
    }
    text.set_text(std::move(out));
  }
};

}  // namespace

std::unique_ptr<Pretokenizer> make_regex_split(Regex pattern, SplitBehavior behavior, bool invert) {
  return std::make_unique<RegexSplit>(std::move(pattern), behavior, invert);
}
std::unique_ptr<Pretokenizer> make_character_split(bool (*is_delimiter)(char32_t),
                                                   SplitBehavior behavior) {
  return std::make_unique<CharacterSplit>(is_delimiter, behavior);
}
std::unique_ptr<Pretokenizer> make_whitespace_pretokenizer() {
  return std::make_unique<WhitespacePretokenizer>();
}
std::unique_ptr<Pretokenizer> make_metaspace_pretokenizer(std::string replacement,
                                                          PrependScheme scheme, bool split) {
  return std::make_unique<Metaspace>(std::move(replacement), scheme, split);
}
std::unique_ptr<Pretokenizer> make_prefix_space_pretokenizer() {
  return std::make_unique<PrefixSpace>();
}
std::unique_ptr<Pretokenizer> make_byte_alphabet_pretokenizer() {
  return std::make_unique<ByteAlphabetPretokenizer>();
}

}  // namespace tessera::text

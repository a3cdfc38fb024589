// Added tokens: strings that are one token wherever they stand, found before the model runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/function_ref.h"
#include "tessera/text/internal/tokenizer_regex.h"

namespace tessera::text {

struct AddedToken {
  std::int32_t id = 0;
  std::string text;
  bool special = false;      ///< a control token: only matched when special tokens are parsed
  bool normalized = false;   ///< matched in the normalized text instead of the raw text
  bool single_word = false;  ///< not inside a word
  bool lstrip = false;       ///< takes the white space before it in
  bool rstrip = false;       ///< takes the white space after it in
};

/// Finds added tokens, leftmost first and of those the longest.
class AddedTokenMatcher {
 public:
  AddedTokenMatcher();
  /// `text` is what is looked for. An empty text is never found.
  /// errors  bad_format when the text is longer than 4096 bytes
  void add(AddedToken token);
  bool empty() const { return tokens_.empty(); }

  /// Cuts text at the tokens in it and visits every part in order: text between tokens (token is
  /// nullptr) and tokens.
  /// plain  ranges, in order, in which a special token stays plain text (EncodeOptions::typed)
  void split(std::string_view text, std::span<const Range> plain,
             function_ref<void(const Range& part, const AddedToken* token)> visit) const;

 private:
  struct Node {
    std::vector<std::pair<unsigned char, std::int32_t>> children;  // byte -> node
    std::int32_t token = -1;
  };

  const AddedToken* longest_at(std::string_view text, std::size_t at) const;
  std::int32_t child(std::int32_t node, unsigned char byte) const;

  std::vector<AddedToken> tokens_;
  std::vector<Node> nodes_;          // a trie; 0 is the root
  std::vector<std::int32_t> roots_;  // by first byte, -1 for none
};

}  // namespace tessera::text

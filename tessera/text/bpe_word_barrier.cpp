#include "tessera/text/internal/bpe_word_barrier.h"

#include <algorithm>

#include "tessera/text/internal/unicode_text.h"

namespace tessera::text {
namespace {

/// The character that ends at text[end - 1]; text is valid UTF-8 there.
char32_t character_before(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return utf8_step(text, at).code_point;
}

}  // namespace

std::optional<WordBarrier> WordBarrier::make(const Vocabulary& vocabulary) {
  if (!vocabulary.find(kSpaceMark)) return std::nullopt;
  WordBarrier barrier;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string* token = vocabulary.text(id);
    if (token == nullptr) continue;
    for (std::size_t mark = token->find(kSpaceMark, 1); mark != std::string::npos;
         mark = token->find(kSpaceMark, mark + 1)) {
      barrier.joined_.push_back(character_before(*token, mark));
    }
  }
  std::sort(barrier.joined_.begin(), barrier.joined_.end());
  barrier.joined_.erase(std::unique(barrier.joined_.begin(), barrier.joined_.end()),
                        barrier.joined_.end());
  return barrier;
}

bool WordBarrier::may_cut_before(std::string_view text, std::size_t mark) const {
  return !std::binary_search(joined_.begin(), joined_.end(), character_before(text, mark));
}

}  // namespace tessera::text

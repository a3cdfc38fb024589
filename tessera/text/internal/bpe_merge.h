// The merge loop that every BPE shares: while some neighbouring pair may merge, merge the pair of
// lowest rank, the leftmost first. O(n log n) in the number of symbols.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera::text {

/// A symbol of the word being merged: a token id and the bytes it covers.
struct MergeSymbol {
  std::int32_t id = 0;
  std::uint32_t begin = 0;
  std::uint32_t size = 0;  ///< bytes; 0 marks a symbol that its left neighbour has taken in
  std::int32_t previous = -1;
  std::int32_t next = -1;
};

/// What a pair becomes.
struct Merge {
  std::uint32_t rank = 0;
  std::int32_t id = 0;
};

/// Fills previous and next of a fresh word.
inline void link_symbols(std::vector<MergeSymbol>& symbols) {
  const auto count = static_cast<std::int32_t>(symbols.size());
  for (std::int32_t i = 0; i < count; ++i) {
    symbols[i].previous = i - 1;
    symbols[i].next = i + 1 < count ? i + 1 : -1;
  }
}

namespace merge_detail {

inline void join(std::vector<MergeSymbol>& symbols, std::int32_t at, std::int32_t id) {
  MergeSymbol& left = symbols[at];
  MergeSymbol& right = symbols[left.next];
  left.id = id;
  left.size += right.size;
  right.size = 0;
  left.next = right.next;
  if (left.next >= 0) symbols[left.next].previous = at;
}

/// For words of a few symbols a scan beats the heap.
template <class FindMerge>
void merge_short(std::vector<MergeSymbol>& symbols, const FindMerge& find) {
  constexpr std::uint32_t kNoMerge = 0xFFFFFFFF;
  std::vector<Merge> pairs(symbols.size(), Merge{kNoMerge, 0});  // pair that begins at each symbol
  const auto look_up = [&](std::int32_t at) {
    const std::int32_t next = symbols[at].next;
    const std::optional<Merge> merge = next < 0 ? std::nullopt : find(symbols[at], symbols[next]);
    pairs[at] = merge.value_or(Merge{kNoMerge, 0});
  };
  for (std::size_t i = 0; i < symbols.size(); ++i) look_up(static_cast<std::int32_t>(i));
  while (true) {
    const auto best = std::min_element(
        pairs.begin(), pairs.end(), [](const Merge& a, const Merge& b) { return a.rank < b.rank; });
    if (best == pairs.end() || best->rank == kNoMerge) return;
    const auto at = static_cast<std::int32_t>(best - pairs.begin());
    pairs[symbols[at].next].rank = kNoMerge;
    join(symbols, at, best->id);
    look_up(at);
    if (symbols[at].previous >= 0) look_up(symbols[at].previous);
  }
}

template <class FindMerge>
void merge_long(std::vector<MergeSymbol>& symbols, const FindMerge& find) {
  struct Candidate {
    std::uint32_t rank;
    std::int32_t at;
    std::int32_t id;
    std::uint32_t size;  // of both symbols; any later merge of either changes it
  };
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
  };
  std::vector<Candidate> heap;
  const auto look_up = [&](std::int32_t at) {
    if (at < 0 || symbols[at].next < 0) return false;
    const MergeSymbol& left = symbols[at];
    const MergeSymbol& right = symbols[left.next];
    const std::optional<Merge> merge = find(left, right);
    if (merge) heap.push_back({merge->rank, at, merge->id, left.size + right.size});
    return merge.has_value();
  };
  for (std::size_t i = 0; i < symbols.size(); ++i) look_up(static_cast<std::int32_t>(i));
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Candidate top = heap.back();
    heap.pop_back();
    const MergeSymbol& left = symbols[top.at];
    if (left.size == 0 || left.next < 0 || left.size + symbols[left.next].size != top.size) {
      continue;
    }
    join(symbols, top.at, top.id);
    if (look_up(symbols[top.at].previous)) std::push_heap(heap.begin(), heap.end(), later);
    if (look_up(top.at)) std::push_heap(heap.begin(), heap.end(), later);
  }
}

}  // namespace merge_detail

/// Merges in place; symbols that remain have size > 0 and are chained from symbols[0] by `next`.
/// find(left, right) -> std::optional<Merge>.
template <class FindMerge>
void merge_symbols(std::vector<MergeSymbol>& symbols, const FindMerge& find) {
  constexpr std::size_t kShort = 48;
  if (symbols.size() < 2) return;
  if (symbols.size() <= kShort) {
    merge_detail::merge_short(symbols, find);
  } else {
    merge_detail::merge_long(symbols, find);
  }
}

}  // namespace tessera::text

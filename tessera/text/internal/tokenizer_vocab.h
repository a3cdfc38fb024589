// The tokens of a vocabulary by id and by text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::text {

/// Finds strings that somebody else stores; open addressing over 32-bit indices.
class StringIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit StringIndex(std::size_t expected = 0) { rehash(expected); }

  /// The index stored under this text, or kNone. `at(i)` gives the text of a stored index.
  template <class TextAt>
  std::uint32_t find(std::string_view text, const TextAt& at) const {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const Slot& s = slots_[slot];
      if (s.index == kNone) return kNone;
      if (s.hash == static_cast<std::uint32_t>(hash >> 32) && at(s.index) == text) return s.index;
    }
  }

  /// Stores an index under a text that is not there yet.
  template <class TextAt>
  void insert(std::string_view text, std::uint32_t index, const TextAt& at) {
    if ((size_ + 1) * 2 > slots_.size()) {
      const std::vector<Slot> old = std::move(slots_);
      rehash(size_ * 2 + 8);
      for (const Slot& s : old) {
        if (s.index != kNone) place(at(s.index), s.index);
      }
    }
    place(text, index);
    ++size_;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // the upper half
    std::uint32_t index = kNone;
  };

  void rehash(std::size_t expected) {
    std::size_t capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    slots_.assign(capacity, Slot{});
    mask_ = capacity - 1;
  }

  void place(std::string_view text, std::uint32_t index) {
    const std::size_t hash = std::hash<std::string_view>{}(text);
    std::size_t slot = hash & mask_;
    while (slots_[slot].index != kNone) slot = (slot + 1) & mask_;
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), index};
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

/// Ids are dense or nearly so; an id may be a hole, with no token.
class Vocabulary {
 public:
  /// errors  bad_format when the id has another token, the text has another id, or the id is so far
  ///         above the number of tokens that the file cannot mean it
  void add(std::int32_t id, std::string text);

  std::optional<std::int32_t> find(std::string_view text) const;
  /// nullptr for a hole and for an id outside [0, size()).
  const std::string* text(std::int32_t id) const;
  /// One above the highest id.
  std::int32_t size() const { return static_cast<std::int32_t>(tokens_.size()); }
  void reserve(std::size_t tokens);

 private:
  std::string_view text_at(std::uint32_t id) const { return *tokens_[id]; }

  std::vector<std::optional<std::string>> tokens_;
  std::size_t count_ = 0;
  std::size_t expected_ = 0;
  StringIndex by_text_;
};

}  // namespace tessera::text

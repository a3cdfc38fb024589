// A bounded cache from a short word to its token ids.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::text {

/// Direct-mapped: a word can only be in one slot and pushes out what was there, so the size never
/// grows (1 MiB). Threads share it; one that would have to wait for another goes without.
class WordCache {
 public:
  WordCache() : shards_(std::make_unique<std::array<Shard, kShards>>()) {}

  /// Appends the ids of a cached word to `out`.
  bool find(std::string_view word, std::vector<std::int32_t>& out) {
    if (word.size() > kMaxWord) return false;
    const std::size_t hash = std::hash<std::string_view>{}(word);
    Shard& shard = (*shards_)[hash % kShards];
    const std::unique_lock lock(shard.mutex, std::try_to_lock);
    if (!lock) return false;
    const Slot& slot = shard.slots[hash / kShards % kSlots];
    if (slot.size != word.size() || std::memcmp(slot.word, word.data(), word.size()) != 0) {
      return false;
    }
    out.insert(out.end(), slot.ids, slot.ids + slot.count);
    return true;
  }

  void insert(std::string_view word, std::span<const std::int32_t> ids) {
    if (word.empty() || word.size() > kMaxWord || ids.size() > kMaxIds) return;
    const std::size_t hash = std::hash<std::string_view>{}(word);
    Shard& shard = (*shards_)[hash % kShards];
    const std::unique_lock lock(shard.mutex, std::try_to_lock);
    if (!lock) return;
    Slot& slot = shard.slots[hash / kShards % kSlots];
    slot.size = static_cast<std::uint8_t>(word.size());
    slot.count = static_cast<std::uint8_t>(ids.size());
    std::memcpy(slot.word, word.data(), word.size());
    std::copy(ids.begin(), ids.end(), slot.ids);
  }

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::size_t kMaxWord = 30;
  static constexpr std::size_t kMaxIds = 8;

  struct Slot {  // one cache line
    std::uint8_t size = 0;
    std::uint8_t count = 0;
    char word[kMaxWord];
    std::int32_t ids[kMaxIds];
  };
  struct Shard {
    std::mutex mutex;
    std::array<Slot, kSlots> slots;
  };

  std::unique_ptr<std::array<Shard, kShards>> shards_;
};

}  // namespace tessera::text

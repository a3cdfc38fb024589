// KvCache: the keys and values a decoder layer has seen, grown and trimmed in place.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tessera/ir/array.h"

namespace tessera::nn {

/// One layer's cache. With a window W it keeps just what later queries can still see.
class KvCache {
 public:
  /// window: 0 keeps everything, W > 0 the last W positions (a query sees itself and W - 1 before).
  /// errors  invalid_argument for a negative window
  explicit KvCache(int window = 0);

  /// Appends keys [B, H, T, D] and values [B, H, T, Dv] and returns what the T new queries attend
  /// to: [B, H, S, D] and [B, H, S, Dv], the new positions last. S is all positions, or with a
  /// window up to W - 1 + T.   errors  shape_mismatch unless B, H, D, Dv and the dtypes stay those
  /// of before
  std::pair<array, array> update(const array& keys, const array& values);

  /// The positions kept for later, oldest first: all, or the last W. Empty before the first update.
  std::optional<std::pair<array, array>> contents() const;

  /// Positions seen so far.
  std::int64_t length() const { return length_; }
  int window() const { return window_; }
  /// Whether trim(length) would leave what it must: a window may have forgotten it.
  bool can_trim(std::int64_t length) const;
  /// Forgets all positions from `length` on.   errors  invalid_argument unless can_trim
  void trim(std::int64_t length);
  /// Bytes of the buffers.
  std::size_t nbytes() const;
  /// The arrays themselves, for eval().
  void append_arrays(std::vector<array>& out) const;

 private:
  array appended(const std::optional<array>& buffer, const array& fresh, std::int64_t keep,
                 std::int64_t capacity) const;

  int window_;
  std::int64_t length_ = 0;  // positions seen
  std::int64_t end_ = 0;     // rows used in the buffers; the last is position length_ - 1
  std::optional<array> keys_, values_;  // [B, H, capacity, D]
};

/// A model's caches, one a layer, all of one length.
struct KvCaches {
  std::vector<KvCache> layers;

  std::int64_t length() const { return layers.empty() ? 0 : layers[0].length(); }
  bool can_trim(std::int64_t length) const;
  /// errors  invalid_argument unless every layer can; then none has changed
  void trim(std::int64_t length);
  std::size_t nbytes() const;
  std::vector<array> arrays() const;
};

}  // namespace tessera::nn

#include "tessera/nn/kv_cache.h"

#include <algorithm>

#include "tessera/backend/registry.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/shape.h"

namespace tessera::nn {

namespace {

// Buffers grow in steps of this many positions at least, so that most updates are in place.
constexpr std::int64_t kStep = 256;

array rows(const array& buffer, std::int64_t begin, std::int64_t end) {
  Shape start(4, 0);
  Shape stop = buffer.shape();
  start[2] = begin;
  stop[2] = end;
  return slice(buffer, start, stop);
}

array write_rows(const array& buffer, const array& fresh, std::int64_t at) {
  Shape start(4, 0);
  Shape stop = buffer.shape();
  start[2] = at;
  stop[2] = at + fresh.shape(2);
  return slice_update(buffer, fresh, start, stop);
}

// Whether `fresh` can lie behind what `buffer` holds.
bool continues(const std::optional<array>& buffer, const array& fresh) {
  if (!buffer) return true;
  Shape before = buffer->shape();
  before[2] = fresh.shape(2);
  return before == fresh.shape() && buffer->dtype() == fresh.dtype();
}

}  // namespace

KvCache::KvCache(int window) : window_(window) {
  if (window < 0) fail(ErrorCode::invalid_argument, "KvCache", "window {} < 0", window);
}

// `buffer` moved to a new one of `capacity` rows with its last `keep` rows first, then `fresh`.
array KvCache::appended(const std::optional<array>& buffer, const array& fresh, std::int64_t keep,
                        std::int64_t capacity) const {
  Shape shape = fresh.shape();
  shape[2] = capacity;
  const BackendScope scope(fresh.backend());
  array grown = zeros(shape, fresh.dtype());
  if (keep > 0) grown = write_rows(grown, rows(*buffer, end_ - keep, end_), 0);
  return write_rows(grown, fresh, keep);
}

std::pair<array, array> KvCache::update(const array& keys, const array& values) {
  const bool alike = keys.ndim() == 4 && values.ndim() == 4 && keys.shape(0) == values.shape(0) &&
                     keys.shape(1) == values.shape(1) && keys.shape(2) == values.shape(2);
  if (!alike) {
    fail(ErrorCode::shape_mismatch, "KvCache",
         "keys {} and values {} must be [B, H, T, D] with equal B, H and T",
         to_string(keys.shape()), to_string(values.shape()));
  }
  if (!continues(keys_, keys) || !continues(values_, values)) {
    fail(ErrorCode::shape_mismatch, "KvCache",
         "keys {} {} and values {} {} do not continue a cache of {} {} and {} {}",
         to_string(keys.dtype()), to_string(keys.shape()), to_string(values.dtype()),
         to_string(values.shape()), to_string(keys_->dtype()), to_string(keys_->shape()),
         to_string(values_->dtype()), to_string(values_->shape()));
  }
  const std::int64_t fresh = keys.shape(2);
  const std::int64_t stored = std::min(end_, length_);
  const std::int64_t visible =
      window_ > 0 ? std::min<std::int64_t>(window_ - 1, stored) : stored;  // before the new ones
  if (!keys_ || end_ + fresh > keys_->shape(2)) {
    const std::int64_t needed = visible + fresh;
    // Doubling a full cache keeps copying linear; a window needs room for as much as it keeps.
    const std::int64_t room = window_ > 0 ? needed + std::max<std::int64_t>(kStep, visible)
                                          : std::max(needed, 2 * visible);
    const std::int64_t capacity = (room + kStep - 1) / kStep * kStep;
    keys_ = appended(keys_, keys, visible, capacity);
    values_ = appended(values_, values, visible, capacity);
    end_ = needed;
  } else {
    keys_ = write_rows(*keys_, keys, end_);
    values_ = write_rows(*values_, values, end_);
    end_ += fresh;
  }
  length_ += fresh;
  const std::int64_t begin = end_ - visible - fresh;
  return {rows(*keys_, begin, end_), rows(*values_, begin, end_)};
}

std::optional<std::pair<array, array>> KvCache::contents() const {
  if (!keys_) return std::nullopt;
  const std::int64_t kept = window_ > 0 ? std::min<std::int64_t>(window_, end_) : end_;
  return std::pair{rows(*keys_, end_ - kept, end_), rows(*values_, end_ - kept, end_)};
}

bool KvCache::can_trim(std::int64_t length) const {
  if (length < 0 || length > length_) return false;
  // Rows before the buffer's first are gone; the positions that a window still needs must be there.
  const std::int64_t first = length_ - end_;
  const std::int64_t needed = window_ > 0 ? std::max<std::int64_t>(0, length - window_ + 1) : 0;
  return first <= needed;
}

void KvCache::trim(std::int64_t length) {
  if (!can_trim(length)) {
    fail(ErrorCode::invalid_argument, "KvCache", "cannot go back to {} of {} positions (window {})",
         length, length_, window_);
  }
  end_ -= length_ - length;
  length_ = length;
}

std::size_t KvCache::nbytes() const {
  return keys_ ? keys_->nbytes() + values_->nbytes() : 0;
}

void KvCache::append_arrays(std::vector<array>& out) const {
  if (keys_) out.push_back(*keys_);
  if (values_) out.push_back(*values_);
}

bool KvCaches::can_trim(std::int64_t length) const {
  return std::all_of(layers.begin(), layers.end(),
                     [&](const KvCache& c) { return c.can_trim(length); });
}

void KvCaches::trim(std::int64_t length) {
  // A layer that cannot says why, before any has changed.
  for (KvCache& layer : layers) {
    if (!layer.can_trim(length)) layer.trim(length);
  }
  for (KvCache& layer : layers) layer.trim(length);
}

std::size_t KvCaches::nbytes() const {
  std::size_t total = 0;
  for (const KvCache& layer : layers) total += layer.nbytes();
  return total;
}

std::vector<array> KvCaches::arrays() const {
  std::vector<array> out;
  for (const KvCache& layer : layers) layer.append_arrays(out);
  return out;
}

}  // namespace tessera::nn

#include "tessera/backends/cpu/memory.h"

#include <bit>
#include <cstdlib>

#include "tessera/core/internal/fail.h"

namespace tessera::cpu {

namespace {

constexpr std::size_t kAlign = 64;
// Enough for the activations of a prefill chunk of a small model, little beside its weights.
constexpr std::size_t kCacheLimit = std::size_t{48} << 20;

// Eight classes per power of two: at most an eighth is wasted, and the few sizes of a decode loop
// always meet their own class again.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= 8 * kAlign) return std::max(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  const std::size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

Buffer::~Buffer() {
  if (allocator_) allocator_->release(data_, capacity_);
}

std::shared_ptr<Buffer> Allocator::allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX / 4) fail(ErrorCode::out_of_memory, "cpu", "{} bytes asked for", bytes);
  const std::size_t capacity = size_class(bytes);
  std::byte* data = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto it = free_.find(capacity);
    if (it != free_.end() && !it->second.empty()) {
      data = it->second.back();
      it->second.pop_back();
      cached_ -= capacity;
    }
    if (data) {
      active_ += capacity;
      peak_ = std::max(peak_, active_);
    }
  }
  if (!data) {
    data = static_cast<std::byte*>(std::aligned_alloc(kAlign, capacity));
    if (!data) {
      clear_cache();
      data = static_cast<std::byte*>(std::aligned_alloc(kAlign, capacity));
    }
    if (!data) {
      fail(ErrorCode::out_of_memory, "cpu", "the system refused {} bytes ({} are in use)", bytes,
           info().active_bytes);
    }
    const std::lock_guard lock(mutex_);
    active_ += capacity;
    peak_ = std::max(peak_, active_);
  }
  return std::make_shared<Buffer>(shared_from_this(), data, capacity);
}

void Allocator::release(std::byte* data, std::size_t capacity) {
  {
    const std::lock_guard lock(mutex_);
    active_ -= capacity;
    if (cached_ + capacity <= kCacheLimit) {
      free_[capacity].push_back(data);
      cached_ += capacity;
      return;
    }
  }
  std::free(data);
}

void Allocator::clear_cache() {
  const std::lock_guard lock(mutex_);
  for (auto& [capacity, blocks] : free_) {
    for (std::byte* data : blocks) std::free(data);
  }
  free_.clear();
  cached_ = 0;
}

MemoryInfo Allocator::info() const {
  const std::lock_guard lock(mutex_);
  return {active_, peak_, cached_, live_tensors_.load(std::memory_order_relaxed)};
}

void Allocator::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = active_;
}

}  // namespace tessera::cpu

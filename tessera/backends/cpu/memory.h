// Memory of the cpu backend: 64-byte aligned buffers, recycled by size class, counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tessera/backend/backend.h"

namespace tessera::cpu {

class Allocator;

/// A run of bytes: the allocator's own, or host memory that was adopted (then never written to).
class Buffer {
 public:
  Buffer(std::shared_ptr<Allocator> allocator, std::byte* data, std::size_t capacity)
      : allocator_(std::move(allocator)), data_(data), capacity_(capacity) {}
  explicit Buffer(std::shared_ptr<const std::byte> adopted)
      : adopted_(std::move(adopted)), data_(const_cast<std::byte*>(adopted_.get())) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return data_; }
  bool writable() const { return allocator_ != nullptr; }

 private:
  std::shared_ptr<Allocator> allocator_;
  std::shared_ptr<const std::byte> adopted_;
  std::byte* data_;
  std::size_t capacity_ = 0;
};

/// Thread-safe. Freed blocks wait in per-size lists for the next request, up to a limit.
class Allocator : public std::enable_shared_from_this<Allocator> {
 public:
  ~Allocator() { clear_cache(); }

  /// errors  out_of_memory
  std::shared_ptr<Buffer> allocate(std::size_t bytes);
  void clear_cache();
  MemoryInfo info() const;
  void reset_peak();
  void tensor_made() { live_tensors_.fetch_add(1, std::memory_order_relaxed); }
  void tensor_freed() { live_tensors_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  friend class Buffer;
  void release(std::byte* data, std::size_t capacity);

  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> free_;
  std::size_t active_ = 0;
  std::size_t peak_ = 0;
  std::size_t cached_ = 0;
  std::atomic<std::uint64_t> live_tensors_{0};
};

}  // namespace tessera::cpu

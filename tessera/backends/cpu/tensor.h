// CpuTensor: a strided view of a buffer.
#pragma once

#include <memory>

#include "tessera/backends/cpu/memory.h"
#include "tessera/ir/tensor.h"

namespace tessera::cpu {

class CpuTensor final : public Tensor {
 public:
  CpuTensor(TensorSpec spec, std::shared_ptr<Buffer> buffer, std::int64_t offset, Strides strides,
            std::shared_ptr<Allocator> allocator);
  ~CpuTensor() override { allocator_->tensor_freed(); }

  /// The first element; offset is already applied.
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(bytes());
  }
  std::byte* bytes() const { return buffer_->data() + offset_ * dtype().size(); }
  std::int64_t offset() const { return offset_; }
  const Strides& strides() const { return strides_; }
  /// Row-major without gaps.
  bool contiguous() const { return contiguous_; }
  std::int64_t size() const { return size_; }
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }

 private:
  std::shared_ptr<Buffer> buffer_;
  std::int64_t offset_;
  Strides strides_;
  std::int64_t size_;
  bool contiguous_;
  std::shared_ptr<Allocator> allocator_;
};

using CpuTensorPtr = std::shared_ptr<CpuTensor>;

inline CpuTensor& as_cpu(const TensorPtr& t) {
  return static_cast<CpuTensor&>(*t);
}

}  // namespace tessera::cpu

// HostTensor: shape, dtype and bytes in host memory, row-major without gaps. What files are read
// into and what leaves a backend.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "tessera/core/dtype.h"
#include "tessera/core/shape.h"

namespace tessera {

/// Shares its bytes: copying is cheap, and a memory-mapped file stays mapped while any view lives.
class HostTensor {
 public:
  HostTensor() : HostTensor(Shape{0}, float32) {}
  /// Allocates zeroed memory of its own, 64-byte aligned.   errors  out_of_memory, invalid_argument
  HostTensor(Shape shape, Dtype dtype);
  /// Views `data`, which must hold num_elements(shape) * dtype.size() bytes.
  HostTensor(Shape shape, Dtype dtype, std::shared_ptr<const std::byte> data)
      : shape_(std::move(shape)), dtype_(dtype), data_(std::move(data)) {}

  /// Copies values.   errors  shape_mismatch when their number is not the shape's
  template <class T>
  static HostTensor from(std::span<const T> values, Shape shape) {
    check_count(values.size(), shape);
    HostTensor t(std::move(shape), dtype_of<T>);
    if (!values.empty()) std::memcpy(t.mutable_data(), values.data(), values.size_bytes());
    return t;
  }

  const Shape& shape() const { return shape_; }
  Dtype dtype() const { return dtype_; }
  std::int64_t size() const { return num_elements(shape_); }
  std::size_t nbytes() const { return static_cast<std::size_t>(size()) * dtype_.size(); }
  const std::byte* data() const { return data_.get(); }
  const std::shared_ptr<const std::byte>& storage() const { return data_; }

  /// Only for a tensor that owns its memory (first constructor) and before it is shared.
  std::byte* mutable_data() { return const_cast<std::byte*>(data_.get()); }

  /// The elements as T.   errors  unsupported_dtype when T is not the dtype
  template <class T>
  std::span<const T> values() const {
    check_dtype(dtype_of<T>);
    return {reinterpret_cast<const T*>(data_.get()), static_cast<std::size_t>(size())};
  }

 private:
  static void check_count(std::size_t count, const Shape& shape);
  void check_dtype(Dtype wanted) const;

  Shape shape_;
  Dtype dtype_;
  std::shared_ptr<const std::byte> data_;
};

/// 64-byte aligned zeroed memory.   errors  out_of_memory
std::shared_ptr<std::byte> allocate_host(std::size_t bytes);

}  // namespace tessera

#include "tessera/core/host_tensor.h"

#include <cstdlib>

#include "tessera/core/internal/fail.h"

namespace tessera {

std::shared_ptr<std::byte> allocate_host(std::size_t bytes) {
  constexpr std::size_t kAlign = 64;
  if (bytes > SIZE_MAX - kAlign) fail(ErrorCode::out_of_memory, "allocate", "{} bytes", bytes);
  const std::size_t rounded = std::max(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  auto* p = static_cast<std::byte*>(std::aligned_alloc(kAlign, rounded));
  if (!p) fail(ErrorCode::out_of_memory, "allocate", "the system refused {} bytes", bytes);
  std::memset(p, 0, rounded);
  return {p, [](std::byte* q) { std::free(q); }};
}

HostTensor::HostTensor(Shape shape, Dtype dtype) : shape_(std::move(shape)), dtype_(dtype) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(num_elements(shape_), std::int64_t{dtype.size()}, &bytes)) {
    fail(ErrorCode::invalid_argument, "host_tensor", "{} of {} needs more than 2^63 - 1 bytes",
         to_string(shape_), to_string(dtype));
  }
  data_ = allocate_host(static_cast<std::size_t>(bytes));
}

void HostTensor::check_count(std::size_t count, const Shape& shape) {
  if (static_cast<std::int64_t>(count) != num_elements(shape)) {
    fail(ErrorCode::shape_mismatch, "host_tensor", "{} values do not fill shape {}", count,
         to_string(shape));
  }
}

void HostTensor::check_dtype(Dtype wanted) const {
  if (wanted != dtype_) {
    fail(ErrorCode::unsupported_dtype, "host_tensor", "asked for {} but the tensor holds {}",
         to_string(wanted), to_string(dtype_));
  }
}

}  // namespace tessera

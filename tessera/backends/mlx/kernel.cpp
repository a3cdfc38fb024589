#include "tessera/backends/mlx/internal/kernel.h"

#include <mlx/transforms.h>

#include "tessera/core/internal/fail.h"

namespace tessera::mlx_backend {

mx::array Call::wide(const mx::array& x) const {
  return x.dtype().size() == 2 && mx::issubdtype(x.dtype(), mx::floating) ? cast(x, mx::float32)
                                                                          : x;
}

namespace {

[[noreturn]] void refuse(const std::string& op, std::int64_t index, std::int64_t size) {
  fail(ErrorCode::invalid_argument, op, "index {} is out of range for an axis of {}", index, size);
}

template <class T>
void check_values(const char* op, const mx::array& index, std::int64_t size, std::int64_t room) {
  const T* values = index.data<T>();
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto asked = static_cast<std::int64_t>(values[i]);
    const std::int64_t at = asked < 0 ? asked + size : asked;
    if (at < 0 || at >= room) refuse(op, asked, size);
  }
}

}  // namespace

mx::array Call::indices(const char* op, const mx::array& index, std::int64_t size,
                        std::int64_t slice) {
  if (index.size() == 0) return index;
  const std::int64_t room = size - slice + 1;
  if (on_cpu() && index.status() == mx::array::available && index.flags().row_contiguous) {
    switch (from_mlx(index.dtype())) {
      case Dtype::Val::uint8: check_values<std::uint8_t>(op, index, size, room); break;
      case Dtype::Val::uint16: check_values<std::uint16_t>(op, index, size, room); break;
      case Dtype::Val::uint32: check_values<std::uint32_t>(op, index, size, room); break;
      case Dtype::Val::uint64: check_values<std::uint64_t>(op, index, size, room); break;
      case Dtype::Val::int8: check_values<std::int8_t>(op, index, size, room); break;
      case Dtype::Val::int16: check_values<std::int16_t>(op, index, size, room); break;
      case Dtype::Val::int64: check_values<std::int64_t>(op, index, size, room); break;
      default: check_values<std::int32_t>(op, index, size, room); break;
    }
    return index;
  }
  const auto number = [](std::int64_t value) { return mx::array(value, mx::int64); };
  const mx::array asked = cast(index, mx::int64);
  const mx::array at = mx::where(mx::less(asked, number(0), stream),
                                 mx::add(asked, number(size), stream), asked, stream);
  checks.push_back({mx::stack({mx::min(at, false, stream), mx::max(at, false, stream)}, 0, stream),
                    op, size, room});
  const std::int64_t last = room > 0 ? room - 1 : 0;
  return cast(mx::clip(at, number(0), number(last), stream), mx::int32);
}

void PendingCheck::verify() const {
  const std::int64_t least = extremes.data<std::int64_t>()[0];
  const std::int64_t greatest = extremes.data<std::int64_t>()[1];
  if (greatest >= room) refuse(op, greatest, size);
  if (least < 0) refuse(op, least - size, size);
}

}  // namespace tessera::mlx_backend

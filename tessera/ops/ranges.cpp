#include "tessera/ops/ranges.h"

#include "tessera/ops/binary.h"
#include "tessera/ops/internal/checks.h"

namespace tessera {

array arange(double start, double stop, double step) {
  return arange(start, stop, step, float32);
}
array arange(double start, double stop) {
  return arange(start, stop, 1.0, float32);
}
array arange(double stop, Dtype dtype) {
  return arange(0.0, stop, 1.0, dtype);
}
array arange(double stop) {
  return arange(0.0, stop, 1.0, float32);
}

array linspace(double start, double stop, int num, bool endpoint, Dtype dtype) {
  if (num < 0) fail(ErrorCode::invalid_argument, "linspace", "{} samples are not possible", num);
  if (num == 1) return astype(array({static_cast<float>(start)}), dtype);
  const array t = arange(0.0, double(num), float32) / float(endpoint ? num - 1 : num);
  return astype((1.0f - t) * float(start) + t * float(stop), dtype);
}
array linspace(double start, double stop, int num, Dtype dtype) {
  return linspace(start, stop, num, true, dtype);
}

}  // namespace tessera

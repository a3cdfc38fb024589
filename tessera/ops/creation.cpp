#include "tessera/ops/creation.h"

#include <cmath>

#include "tessera/ir/node.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/shape.h"

namespace tessera {

TensorSpec Arange::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 0, 0);
  return {Shape{count}, dtype};
}

TensorSpec Cast::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  return {in[0].shape(), dtype};
}

array arange(double start, double stop, double step, Dtype dtype) {
  const double count = std::ceil((stop - start) / step);
  // NaN fails the comparison as well.
  if (!(count <= 2147483647.0) || step == 0) {
    fail(ErrorCode::invalid_argument, "arange",
         "from {} to {} in steps of {} is not a range of at "
         "most 2^31 - 1 elements",
         start, stop, step);
  }
  return apply(Arange{start, step, count > 0 ? static_cast<std::int64_t>(count) : 0, dtype}, {});
}
array arange(double start, double stop, Dtype dtype) {
  return arange(start, stop, 1.0, dtype);
}
array arange(int start, int stop, int step) {
  return arange(double(start), double(stop), double(step), int32);
}
array arange(int stop) {
  return arange(0, stop, 1);
}

array full(const Shape& shape, const array& value, Dtype dtype) {
  return broadcast_to(astype(value, dtype), shape);
}
array full(const Shape& shape, const array& value) {
  return broadcast_to(value, shape);
}
array zeros(const Shape& shape, Dtype dtype) {
  return full(shape, detail::scalar(0, dtype));
}
array ones(const Shape& shape, Dtype dtype) {
  return full(shape, detail::scalar(1, dtype));
}

array astype(const array& a, Dtype dtype) {
  return a.dtype() == dtype ? a : apply(Cast{dtype}, {a});
}

}  // namespace tessera

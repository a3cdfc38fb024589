#include "tensor.h"

#include <tessera/core/error.h>

#include "convert.h"

namespace my_backend {

DensePtr Context::make(const TensorSpec& spec) const {
  const std::uint64_t bytes = num_elements(spec.shape) * spec.dtype.size();
  std::shared_ptr<std::byte> memory = allocate_host(bytes);
  std::byte* const data = memory.get();
  const std::uint64_t now = counters->active += bytes;
  for (std::uint64_t peak = counters->peak; now > peak;) {
    if (counters->peak.compare_exchange_weak(peak, now)) break;
  }
  auto free = [memory = std::move(memory), counters = counters, bytes](std::byte*) {
    counters->active -= bytes;
  };
  return std::make_shared<DenseTensor>(spec, std::shared_ptr<std::byte>(data, std::move(free)),
                                       counters);
}

DensePtr Context::view(const DenseTensor& t, const TensorSpec& spec) const {
  return std::make_shared<DenseTensor>(spec, t.storage(), counters);
}

DensePtr Context::cast(const TensorPtr& t, Dtype dtype) const {
  if (t->dtype() == dtype) return std::static_pointer_cast<DenseTensor>(t);
  const DenseTensor& x = dense(t);
  const DensePtr y = make({t->shape(), dtype});
  dispatch(t->dtype(), [&]<class From>() {
    dispatch(dtype, [&]<class To>() {
      for (std::int64_t i = 0; i < x.size(); ++i) {
        y->template data<To>()[i] = convert<To>(x.template data<From>()[i]);
      }
    });
  });
  return y;
}

Strides strides_for(const Shape& shape, const Shape& wide) {
  const Strides own = row_major_strides(shape);
  Strides strides(wide.size(), 0);
  const std::size_t lead = wide.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) strides[lead + i] = shape[i] == 1 ? 0 : own[i];
  return strides;
}

std::vector<std::int64_t> indices(const char* op, const DenseTensor& t, std::int64_t size) {
  std::vector<std::int64_t> out(t.size());
  dispatch(t.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < t.size(); ++i) {
      const auto asked = convert<std::int64_t>(t.template data<T>()[i]);
      out[i] = asked < 0 ? asked + size : asked;
      if (out[i] < 0 || out[i] >= size) {
        throw Error(ErrorCode::invalid_argument, op,
                    "index " + std::to_string(asked) + " is out of range for an axis of " +
                        std::to_string(size));
      }
    }
  });
  return out;
}

}  // namespace my_backend

#include "tessera/backends/cpu/tensor.h"

#include "tessera/backends/cpu/convert.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"

namespace tessera::cpu {

namespace {

bool is_contiguous(const Shape& shape, const Strides& strides) {
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

CpuTensor::CpuTensor(TensorSpec spec, std::shared_ptr<Buffer> buffer, std::int64_t offset,
                     Strides strides, std::shared_ptr<Allocator> allocator)
    : Tensor(std::move(spec)),
      buffer_(std::move(buffer)),
      offset_(offset),
      strides_(std::move(strides)),
      size_(num_elements(shape())),
      contiguous_(size_ == 0 || is_contiguous(shape(), strides_)),
      allocator_(std::move(allocator)) {
  allocator_->tensor_made();
}

CpuTensorPtr Context::make(const TensorSpec& spec) const {
  const std::int64_t count =
      num_elements(spec.shape);  // times the size it fits: apply() has checked
  std::shared_ptr<Buffer> buffer =
      allocator->allocate(static_cast<std::size_t>(count) * spec.dtype.size());
  return std::make_shared<CpuTensor>(spec, std::move(buffer), 0, row_major_strides(spec.shape),
                                     allocator);
}

bool is_donated(const TensorPtr& t) {
  const CpuTensor& c = as_cpu(t);
  if (t.use_count() != 1 || c.buffer().use_count() != 1 || !c.buffer()->writable()) return false;
  // The last other owner may have been another thread: a copy that goes again makes its reads of
  // the memory happen before what is written there now.
  TensorPtr(t).reset();
  std::shared_ptr<Buffer>(c.buffer()).reset();
  return true;
}

CpuTensorPtr Context::reuse_or_make(Inputs in, std::size_t i, const TensorSpec& spec) const {
  const CpuTensor& t = as_cpu(in[i]);
  if (is_donated(in[i]) && t.contiguous() && t.dtype() == spec.dtype && t.shape() == spec.shape) {
    return std::static_pointer_cast<CpuTensor>(in[i]);
  }
  return make(spec);
}

CpuTensorPtr Context::view(const CpuTensor& t, TensorSpec spec, std::int64_t offset,
                           Strides strides) const {
  return std::make_shared<CpuTensor>(std::move(spec), t.buffer(), offset, std::move(strides),
                                     allocator);
}

CpuTensorPtr Context::contiguous(const TensorPtr& t) const {
  const CpuTensor& c = as_cpu(t);
  if (c.contiguous()) return std::static_pointer_cast<CpuTensor>(t);
  CpuTensorPtr out = make(c.spec());
  copy_elements(*this, c, *out);
  return out;
}

CpuTensorPtr Context::to_dtype(const TensorPtr& t, Dtype dtype) const {
  if (t->dtype() == dtype) return contiguous(t);
  CpuTensorPtr out = make({t->shape(), dtype});
  copy_elements(*this, as_cpu(t), *out);
  return out;
}
CpuTensorPtr Context::to_float32(const TensorPtr& t) const {
  return to_dtype(t, float32);
}

void copy_elements(const Context& ctx, const CpuTensor& from, CpuTensor& to) {
  const LoopPlan<2> plan(to.shape(), {to.strides(), from.strides()});
  dispatch(from.dtype(), [&]<class From>() {
    dispatch(to.dtype(), [&]<class To>() {
      const From* src = from.data<From>();
      To* dst = to.data<To>();
      plan.run(ctx.pool, [&](const auto& offset, const auto& step, std::int64_t count) {
        const From* s = src + offset[1];
        To* d = dst + offset[0];
        if constexpr (std::is_same_v<From, To>) {
          if (step[0] == 1 && step[1] == 1) {
            std::copy(s, s + count, d);
            return;
          }
          if (step[0] == 1 && step[1] == 0) {
            std::fill(d, d + count, *s);
            return;
          }
        } else if constexpr (is_half<From> && std::is_same_v<To, float>) {
          if (step[0] == 1 && step[1] == 1) return to_float(s, d, count);
        } else if constexpr (std::is_same_v<From, float> && is_half<To>) {
          if (step[0] == 1 && step[1] == 1) return from_float(s, d, count);
        }
        for (std::int64_t i = 0; i < count; ++i) {
          d[i * step[0]] = convert<To>(s[i * step[1]]);
        }
      });
    });
  });
}

}  // namespace tessera::cpu

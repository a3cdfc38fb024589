// This backend's tensors: row-major host memory without gaps, whatever op made them. Everything
// below follows from that choice: a transpose copies, and every kernel is a loop over dense arrays.
#pragma once

#include <tessera/backend/backend.h>
#include <tessera/ops/op_ids.h>

#include <array>
#include <atomic>
#include <complex>
#include <memory>
#include <type_traits>
#include <vector>

namespace my_backend {

using namespace tessera;  // NOLINT: every line here speaks of the library's types

/// What memory() reports. Shared, because memory that was read may outlive the backend.
struct Counters {
  std::atomic<std::uint64_t> active{0}, peak{0}, live{0};
};

class DenseTensor final : public Tensor {
 public:
  /// bytes: freed by its last user; adopted host memory is not counted
  DenseTensor(TensorSpec spec, std::shared_ptr<std::byte> bytes, std::shared_ptr<Counters> counters)
      : Tensor(std::move(spec)), bytes_(std::move(bytes)), counters_(std::move(counters)) {
    ++counters_->live;
  }
  ~DenseTensor() override { --counters_->live; }

  const std::shared_ptr<std::byte>& storage() const { return bytes_; }
  std::byte* bytes() const { return bytes_.get(); }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(bytes_.get());
  }
  std::int64_t size() const { return num_elements(shape()); }

 private:
  std::shared_ptr<std::byte> bytes_;
  std::shared_ptr<Counters> counters_;
};

using DensePtr = std::shared_ptr<DenseTensor>;
using Inputs = std::span<const TensorPtr>;

inline const DenseTensor& dense(const TensorPtr& t) {
  return static_cast<const DenseTensor&>(*t);
}

/// What a kernel works with.
struct Context {
  const std::shared_ptr<Counters>& counters;

  /// A new tensor of zeros.   errors  out_of_memory
  DensePtr make(const TensorSpec& spec) const;
  /// Another shape for the same memory.
  DensePtr view(const DenseTensor& t, const TensorSpec& spec) const;
  /// The values in another dtype (the tensor itself if it has it already).
  DensePtr cast(const TensorPtr& t, Dtype dtype) const;
};

/// A kernel, by op. The op's own rule has checked the inputs and made `out` of them.
using Kernel = TensorPtr (*)(const Context&, const void* op, Inputs, const TensorSpec& out);
using Kernels = std::array<Kernel, kOpCount>;

/// Enters `fn` for an op.
template <class Op, TensorPtr (*fn)(const Context&, const Op&, Inputs, const TensorSpec&)>
void add(Kernels& kernels) {
  kernels[static_cast<std::size_t>(op_id<Op>)] = [](const Context& ctx, const void* op, Inputs in,
                                                    const TensorSpec& out) {
    return fn(ctx, *static_cast<const Op*>(op), in, out);
  };
}

void add_moves(Kernels& kernels);
void add_elementwise(Kernels& kernels);
void add_reductions(Kernels& kernels);
void add_model_ops(Kernels& kernels);
void add_quantized(Kernels& kernels);

/// The C++ type of a dtype as fn<T>().
template <class Fn>
decltype(auto) dispatch(Dtype dtype, Fn&& fn) {
  switch (dtype) {
    case Dtype::Val::bool_: return fn.template operator()<bool>();
    case Dtype::Val::uint8: return fn.template operator()<std::uint8_t>();
    case Dtype::Val::uint16: return fn.template operator()<std::uint16_t>();
    case Dtype::Val::uint32: return fn.template operator()<std::uint32_t>();
    case Dtype::Val::uint64: return fn.template operator()<std::uint64_t>();
    case Dtype::Val::int8: return fn.template operator()<std::int8_t>();
    case Dtype::Val::int16: return fn.template operator()<std::int16_t>();
    case Dtype::Val::int32: return fn.template operator()<std::int32_t>();
    case Dtype::Val::int64: return fn.template operator()<std::int64_t>();
    case Dtype::Val::float16: return fn.template operator()<float16_t>();
    case Dtype::Val::bfloat16: return fn.template operator()<bfloat16_t>();
    case Dtype::Val::float64: return fn.template operator()<double>();
    case Dtype::Val::complex64: return fn.template operator()<complex64_t>();
    case Dtype::Val::float32: break;
  }
  return fn.template operator()<float>();
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;
template <class T>
inline constexpr bool is_complex = std::is_same_v<T, complex64_t>;

/// What a type is computed in: half types in float, integers where they wrap instead of overflow.
template <class T>
struct ComputeOf {
  using type = std::conditional_t<is_half<T>, float, T>;
};
template <>
struct ComputeOf<bool> {
  using type = bool;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

/// The strides that walk `shape` as if it were broadcast to `wide`: 0 where it repeats.
Strides strides_for(const Shape& shape, const Shape& wide);

/// Calls fn(i, at): i counts the positions of `shape` in row-major order, at is where `start` and
/// `strides` put each.
template <class Fn>
void walk(const Shape& shape, std::int64_t start, const Strides& strides, Fn fn) {
  const std::int64_t count = num_elements(shape);
  Shape index(shape.size(), 0);
  std::int64_t at = start;
  for (std::int64_t i = 0; i < count; ++i) {
    fn(i, at);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// An index tensor as int64 in [0, size), negative values counted from the end.
/// errors  invalid_argument for one out of range
std::vector<std::int64_t> indices(const char* op, const DenseTensor& t, std::int64_t size);

}  // namespace my_backend

// What a kernel file needs: the table it registers in, the context it runs in, and how to make and
// recycle outputs.
//
//   TensorPtr softmax(Context& ctx, const Softmax& op, Inputs in, const TensorSpec& out) { ... }
//   void register_softmax(KernelRegistry& table) { table.add<Softmax, softmax>(); }
//
// Every file kernels/<name>.cpp listed in CMakeLists.txt defines register_<name>; the list of calls
// is generated from there.
#pragma once

#include <array>
#include <concepts>
#include <span>

#include "tessera/backends/cpu/tensor.h"
#include "tessera/core/thread_pool.h"
#include "tessera/ir/op.h"
#include "tessera/ops/op_ids.h"

namespace tessera::cpu {

/// Inputs as the contract hands them over: a kernel may move one out.
using Inputs = std::span<TensorPtr>;

struct Context {
  ThreadPool& pool;
  const std::shared_ptr<Allocator>& allocator;

  /// A new contiguous tensor, uninitialised.
  CpuTensorPtr make(const TensorSpec& spec) const;
  /// in[i]'s own memory if this is its last use, it is contiguous and fits; else a new tensor.
  CpuTensorPtr reuse_or_make(Inputs in, std::size_t i, const TensorSpec& spec) const;
  /// The tensor itself when it is contiguous, else a copy that is.
  CpuTensorPtr contiguous(const TensorPtr& t) const;
  /// The values, contiguous, in a dtype (the tensor itself if it is that already).
  CpuTensorPtr to_dtype(const TensorPtr& t, Dtype dtype) const;
  /// The values as contiguous float32 (the tensor itself if it is that already).
  CpuTensorPtr to_float32(const TensorPtr& t) const;
  /// A view of the same buffer.
  CpuTensorPtr view(const CpuTensor& t, TensorSpec spec, std::int64_t offset,
                    Strides strides) const;
};

/// Whether the caller holds the only reference to the tensor and its memory may be overwritten.
bool is_donated(const TensorPtr& t);

/// Copies elements between any layouts of one shape, converting the dtype.
void copy_elements(const Context& ctx, const CpuTensor& from, CpuTensor& to);

using KernelFn = TensorPtr (*)(Context&, const void* op, Inputs, const TensorSpec&);

class KernelRegistry {
 public:
  template <class Op, TensorPtr (*Fn)(Context&, const Op&, Inputs, const TensorSpec&)>
  void add() {
    kernels_[static_cast<std::size_t>(op_id<Op>)] = [](Context& ctx, const void* op, Inputs in,
                                                       const TensorSpec& out) {
      return Fn(ctx, *static_cast<const Op*>(op), in, out);
    };
  }
  KernelFn find(OpId id) const { return kernels_[static_cast<std::size_t>(id)]; }

 private:
  std::array<KernelFn, kOpCount> kernels_{};
};

/// Calls fn.template operator()<T>() with the C++ type of a dtype.
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
    case Dtype::Val::float32: return fn.template operator()<float>();
    case Dtype::Val::float64: return fn.template operator()<double>();
    case Dtype::Val::bfloat16: return fn.template operator()<bfloat16_t>();
    case Dtype::Val::complex64: break;
  }
  return fn.template operator()<complex64_t>();
}

/// The same for the floating dtypes (the op's rule has refused the others).
template <class Fn>
decltype(auto) dispatch_floating(Dtype dtype, Fn&& fn) {
  switch (dtype) {
    case Dtype::Val::float16: return fn.template operator()<float16_t>();
    case Dtype::Val::bfloat16: return fn.template operator()<bfloat16_t>();
    case Dtype::Val::float64: return fn.template operator()<double>();
    default: return fn.template operator()<float>();
  }
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;
template <class T>
inline constexpr bool is_complex = std::is_same_v<T, complex64_t>;
/// What a type is computed in: float for the half types.
template <class T>
using Compute = std::conditional_t<is_half<T>, float, T>;

template <class T>
struct WrappingOf {
  using type = T;
};
template <std::integral T>
struct WrappingOf<T> {
  using type = std::conditional_t<(sizeof(T) <= 4), std::uint32_t, std::uint64_t>;
};
/// Where integers add and multiply without overflow: unsigned, and wide enough not to become int.
/// Cast back to T it is the wrapped result. Other types stay.
template <class T>
using Wrapping = typename WrappingOf<T>::type;

}  // namespace tessera::cpu

// What a kernel file needs. A kernel appends nodes to MLX's graph; nothing runs.
//
//   mx::array sigmoid(Call& call, const Sigmoid&) { return mx::sigmoid(call.in[0], call.stream); }
//   void add_elementwise(KernelTable& table) { table.add<Sigmoid, sigmoid>(); }
#pragma once

#include <mlx/ops.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tessera/backends/mlx/internal/convert.h"
#include "tessera/backends/mlx/internal/tensor.h"
#include "tessera/ir/op.h"
#include "tessera/ops/op_ids.h"

namespace tessera::mlx_backend {

/// Indices whose values were not there when the op was appended: looked at when the graph runs.
struct PendingCheck {
  mx::array
      extremes;  ///< int64 [2]: the least and the greatest, negative ones counted from the end
  std::string op;
  std::int64_t size;  ///< of the axis
  std::int64_t room;  ///< indices from here on are out of range

  /// Once `extremes` is evaluated.   errors  invalid_argument naming the index
  void verify() const;
};

/// One op to append.
struct Call {
  std::vector<mx::array> in;
  std::span<const TensorPtr> tensors;  ///< the inputs that `in` was taken from
  const TensorSpec& out;
  mx::Stream stream;
  std::vector<PendingCheck>& checks;

  bool on_cpu() const { return stream.device == mx::Device::cpu; }
  mx::Shape out_shape() const { return to_mlx(out.shape); }
  mx::Dtype out_dtype() const { return to_mlx(out.dtype); }

  mx::array cast(const mx::array& x, mx::Dtype dtype) const {
    return x.dtype() == dtype ? x : mx::astype(x, dtype, stream);
  }
  mx::array result(const mx::array& x) const { return cast(x, out_dtype()); }
  mx::array scalar(double value, mx::Dtype dtype) const {
    return mx::array(static_cast<float>(value), dtype);
  }
  /// Half types as float32, in which the contract wants sums; other types as they are.
  mx::array wide(const mx::array& x) const;
  /// The same, but only where MLX's own kernels would sum in the half type: on its CPU.
  mx::array wide_on_cpu(const mx::array& x) const { return on_cpu() ? wide(x) : x; }

  /// Where slices of `slice` elements begin on an axis of `size`; negative ones count from the end.
  /// Indices whose values are there are checked now, others when the graph runs, and held inside
  /// the array until then.   errors  invalid_argument naming the first one out of range
  mx::array indices(const char* op, const mx::array& index, std::int64_t size,
                    std::int64_t slice = 1);
};

using Kernel = mx::array (*)(Call&, const void* op);
/// Whether the kernel takes an op with these attributes and inputs.
using Taker = bool (*)(const void* op, std::span<const TensorPtr> inputs, bool on_cpu);

class KernelTable {
 public:
  template <class Op, mx::array (*fn)(Call&, const Op&)>
  void add() {
    at(op_id<Op>).kernel = [](Call& call, const void* op) {
      return fn(call, *static_cast<const Op*>(op));
    };
  }
  /// With a condition under which it is taken; else the op is lowered.
  template <class Op, mx::array (*fn)(Call&, const Op&),
            bool (*takes)(const Op&, std::span<const TensorPtr>, bool)>
  void add_if() {
    add<Op, fn>();
    at(op_id<Op>).takes = [](const void* op, std::span<const TensorPtr> in, bool on_cpu) {
      return takes(*static_cast<const Op*>(op), in, on_cpu);
    };
  }

  struct Entry {
    Kernel kernel = nullptr;
    Taker takes = nullptr;
  };
  const Entry& find(OpId id) const { return entries_[static_cast<std::size_t>(id)]; }

 private:
  Entry& at(OpId id) { return entries_[static_cast<std::size_t>(id)]; }
  std::array<Entry, kOpCount> entries_{};
};

void add_elementwise(KernelTable& table);
void add_fused(KernelTable& table);
void add_index(KernelTable& table);
void add_linear(KernelTable& table);
void add_quantized(KernelTable& table);
void add_reductions(KernelTable& table);
void add_scans(KernelTable& table);
void add_shape(KernelTable& table);
void add_transforms(KernelTable& table);

}  // namespace tessera::mlx_backend

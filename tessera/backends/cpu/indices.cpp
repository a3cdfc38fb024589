#include "tessera/backends/cpu/indices.h"

#include "tessera/core/internal/fail.h"

namespace tessera::cpu {

std::vector<std::int64_t> read_indices(const Context& ctx, const char* op, const TensorPtr& t,
                                       std::int64_t size, std::int64_t slice) {
  const CpuTensorPtr flat = ctx.contiguous(t);
  std::vector<std::int64_t> out(flat->size());
  dispatch(flat->dtype(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const T* data = flat->data<T>();
      for (std::size_t i = 0; i < out.size(); ++i) {
        // A uint64 past 2^63 turns negative here and is then out of range, as it should be.
        std::int64_t index = static_cast<std::int64_t>(data[i]);
        if (index < 0) index += size;
        if (index < 0 || index > size - slice) {
          fail(ErrorCode::invalid_argument, op,
               "index {} at position {} is out of range for size {}{}", data[i], i, size,
               slice == 1 ? "" : fmt::format(" and slices of {}", slice));
        }
        out[i] = index;
      }
    }
  });
  return out;
}

std::vector<std::int64_t> slice_starts(const Context& ctx, const char* op, const Shape& shape,
                                       Inputs indices, const InlineVector<int, 6>& axes,
                                       const Shape& slice_sizes) {
  if (indices.empty()) return {0};
  const Strides strides = row_major_strides(shape);
  std::vector<std::int64_t> starts(as_cpu(indices[0]).size(), 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const int axis = axes[k];
    const std::vector<std::int64_t> index =
        read_indices(ctx, op, indices[k], shape[axis], slice_sizes[axis]);
    for (std::size_t i = 0; i < starts.size(); ++i) starts[i] += index[i] * strides[axis];
  }
  return starts;
}

SliceRuns::SliceRuns(const Shape& shape, const Shape& slice_sizes) {
  // From the last axis on, whole axes and the first one that is not.
  std::size_t outer = shape.size();
  bool whole = true;
  while (outer > 0 && whole) {
    --outer;
    length *= slice_sizes[outer];
    whole = slice_sizes[outer] == shape[outer];
  }
  const Strides strides = row_major_strides(shape);
  starts.push_back(0);
  for (std::size_t axis = 0; axis < outer; ++axis) {
    std::vector<std::int64_t> next;
    next.reserve(starts.size() * slice_sizes[axis]);
    for (std::int64_t start : starts) {
      for (std::int64_t i = 0; i < slice_sizes[axis]; ++i)
        next.push_back(start + i * strides[axis]);
    }
    starts = std::move(next);
  }
}

}  // namespace tessera::cpu

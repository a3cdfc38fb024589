// Loops over several operands of one shape, each with strides of its own.
#pragma once

#include <array>

#include "tessera/core/function_ref.h"
#include "tessera/core/shape.h"
#include "tessera/core/thread_pool.h"

namespace tessera::cpu {

/// Strides of an operand seen under a broader shape: 0 where it is repeated.
inline Strides broadcast_strides(const Shape& from, const Strides& strides, const Shape& to) {
  Strides out(to.size(), 0);
  const std::size_t lead = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    out[lead + i] = from[i] == 1 ? 0 : strides[i];
  }
  return out;
}

/// Operands over one shape, with neighbouring axes merged wherever every operand allows it. A fully
/// contiguous set of operands becomes a single axis.
template <std::size_t N>
struct LoopPlan {
  Shape shape;
  std::array<Strides, N> strides;

  LoopPlan(const Shape& full, const std::array<Strides, N>& operand_strides) {
    for (std::size_t axis = 0; axis < full.size(); ++axis) {
      if (full[axis] == 1) continue;
      bool merge = !shape.empty();
      for (std::size_t k = 0; merge && k < N; ++k) {
        merge = strides[k].back() == operand_strides[k][axis] * full[axis];
      }
      if (merge) {
        shape.back() *= full[axis];
        for (std::size_t k = 0; k < N; ++k) strides[k].back() = operand_strides[k][axis];
      } else {
        shape.push_back(full[axis]);
        for (std::size_t k = 0; k < N; ++k) strides[k].push_back(operand_strides[k][axis]);
      }
    }
    if (shape.empty()) {
      shape.push_back(1);
      for (std::size_t k = 0; k < N; ++k) strides[k].push_back(1);
    }
  }

  using Offsets = std::array<std::int64_t, N>;
  using Row = function_ref<void(const Offsets& offsets, const Offsets& steps, std::int64_t count)>;
  /// Calls row(offsets, inner strides, count) for runs along the last axis, in parallel.
  void run(ThreadPool& pool, Row row) const;

  Offsets offsets_of(std::int64_t row_index) const {
    Offsets offset{};
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
      const std::int64_t i = row_index % shape[axis];
      row_index /= shape[axis];
      for (std::size_t k = 0; k < N; ++k) offset[k] += i * strides[k][axis];
    }
    return offset;
  }
};

}  // namespace tessera::cpu

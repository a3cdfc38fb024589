// The arrays of a matrix quantised in groups as the kernels below isa/ take it.
#pragma once

#include "tessera/backends/cpu/isa/grouped.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/core/quant_groups.h"

namespace tessera::cpu {

/// Codes, scales and, if affine, biases [..., R, ...], contiguous, kept alive.
class GroupedWeight {
 public:
  /// in: the weight's arrays, as quantized_shape() has checked them
  GroupedWeight(const Context& ctx, Inputs in, const QuantGroups& groups);

  /// Rows of all matrices, one after the other.
  std::int64_t rows() const { return rows_; }
  /// The rows from `first` on.
  isa::GroupedMatrix from_row(std::int64_t first) const;

 private:
  CpuTensorPtr codes_, scales_, biases_;
  QuantGroups groups_;
  std::int64_t rows_;
};

}  // namespace tessera::cpu

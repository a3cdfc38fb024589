// Weight: a matrix as it is stored, dense or quantised.
#pragma once

#include <optional>

#include "tessera/core/quant_groups.h"
#include "tessera/core/quant_type.h"
#include "tessera/ir/array.h"

namespace tessera::nn {

/// A parameter in its storage: an array of floats, or a quantised matrix that stays quantised, as
/// blocks (core/quant_type.h) or in groups (core/quant_groups.h).
struct Weight {
  /// What codes in groups need beside them.
  struct Groups {
    QuantGroups format;
    array scales;
    std::optional<array> biases;
  };

  /// Dense: the values. Blocks: uint8 [rows, row_bytes(type, columns)]. Groups: the uint32 codes.
  array data;
  /// Set when `data` is blocks.
  std::optional<QuantType> packed;
  /// Set when `data` is codes in groups.
  std::optional<Groups> groups;
  /// The shape of the values, quantised or not.
  Shape shape;

  explicit Weight(array dense) : data(std::move(dense)), shape(data.shape()) {}
  Weight(array blocks, QuantType type, Shape logical)
      : data(std::move(blocks)), packed(type), shape(std::move(logical)) {}
  /// errors  shape_mismatch, unsupported_dtype, invalid_argument when the arrays do not fit
  /// together
  Weight(array codes, Groups parts);

  bool is_dense() const { return !packed && !groups; }
  /// The values as a dense array; a quantised one is expanded in the wider of dtype and its
  /// scales'.
  array dense(Dtype dtype = float32) const;
  /// Of all arrays together.
  std::size_t nbytes() const;
};

/// A matrix quantised in groups in host memory, as a file holds it.
struct QuantizedMatrix {
  QuantGroups format;
  HostTensor codes;                  ///< uint32 [N, words]
  HostTensor scales;                 ///< [N, K / group_size]
  std::optional<HostTensor> biases;  ///< as scales; affine only
};

/// Hands the matrix to a backend as it is: nothing is quantised anew.   errors  as Weight
Weight upload_quantized(const QuantizedMatrix& matrix, const BackendPtr& backend);

/// The values of [..., N, K] quantised in groups.   errors  as quantize() (ops/quantize.h)
Weight quantized(const array& values, const QuantGroups& format);

}  // namespace tessera::nn

// Module: a named tree of parameters, and Weight: a matrix as it is stored.
#pragma once

#include <optional>
#include <string>

#include "tessera/core/function_ref.h"
#include "tessera/core/quant_type.h"
#include "tessera/ir/array.h"

namespace tessera::nn {

/// A parameter in its storage: an array of floats, or packed blocks that stay packed.
struct Weight {
  /// Dense: the values. Packed: uint8 [rows, row_bytes(type, columns)].
  array data;
  /// Set when `data` is packed.
  std::optional<QuantType> packed;
  /// The shape of the values, packed or not.
  Shape shape;

  explicit Weight(array dense) : data(std::move(dense)), shape(data.shape()) {}
  Weight(array blocks, QuantType type, Shape logical)
      : data(std::move(blocks)), packed(type), shape(std::move(logical)) {}

  /// The values as a dense array (expanded when packed).
  array dense(Dtype dtype = float32) const;
};

/// What every layer and model is. Layers are called with operator() of their own signature.
class Module {
 public:
  virtual ~Module() = default;
  using Visitor = function_ref<void(const std::string& name, const Weight& weight)>;
  /// Calls visit("layers.0.self_attn.q_proj.weight", w) for every parameter below.
  virtual void for_each_parameter(const std::string& prefix, Visitor visit) const = 0;
};

}  // namespace tessera::nn

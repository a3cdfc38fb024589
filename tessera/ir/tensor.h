// Tensor: what a backend makes of an array once it has run. Opaque above the backends.
#pragma once

#include <memory>

#include "tessera/core/dtype.h"
#include "tessera/core/shape.h"

namespace tessera {

/// Shape and dtype: all that an op's rule needs to know of an operand.
struct TensorSpec {
  Shape shape;
  Dtype dtype = float32;
};

/// A value on a backend. Immutable once handed out; freed with its last reference.
class Tensor {
 public:
  explicit Tensor(TensorSpec spec) : spec_(std::move(spec)) {}
  virtual ~Tensor() = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  const TensorSpec& spec() const { return spec_; }
  const Shape& shape() const { return spec_.shape; }
  Dtype dtype() const { return spec_.dtype; }

 private:
  TensorSpec spec_;
};

using TensorPtr = std::shared_ptr<Tensor>;

class Backend;  // backend/backend.h
using BackendPtr = std::shared_ptr<Backend>;

}  // namespace tessera

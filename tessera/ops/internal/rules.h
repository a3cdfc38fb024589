// What the gradient and batching rules of several op files share.
#pragma once

#include "tessera/ir/array.h"
#include "tessera/ir/rules.h"

namespace tessera::detail {

/// The shape with `size` as a new first axis.
Shape with_front(const Shape& shape, ShapeElem size);

/// A batch of arrays as a batch of arrays of a higher rank: axes of 1 follow the batch axis.
array with_rank(const array& batch, std::size_t rank);

/// The axis moved to the front.
array to_front(const array& a, int axis);

/// An op's list of axes where the batch has become axis 0.
template <class Axes>
Axes behind_batch(const Axes& axes) {
  Axes moved = axes;
  for (auto& axis : moved) ++axis;
  return moved;
}

/// A copy of an op with one axis, the batch being axis 0.
template <class Op>
Op behind_batch_axis(Op op) {
  ++op.axis;
  return op;
}

}  // namespace tessera::detail

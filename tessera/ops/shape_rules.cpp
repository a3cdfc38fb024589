// Gradients and batching of the ops that move elements.
#include <algorithm>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/filled.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/rules.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera {

array Vmap::with_batch(std::size_t i) const {
  return batched_[i] ? inputs_[i]
                     : broadcast_to(inputs_[i], detail::with_front(inputs_[i].shape(), size_));
}

namespace detail {

Shape with_front(const Shape& shape, ShapeElem size) {
  Shape out = shape;
  out.insert(out.begin(), size);
  return out;
}

array with_rank(const array& batch, std::size_t rank) {
  Shape shape = batch.shape();
  while (shape.size() < rank + 1) shape.insert(shape.begin() + 1, 1);
  return reshape(batch, std::move(shape));
}

array to_front(const array& a, int axis) {
  std::vector<int> axes{axis};
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (i != axis) axes.push_back(i);
  }
  return transpose(a, std::move(axes));
}

}  // namespace detail

using detail::with_front;

void Reshape::vjp(Vjp& v) const {
  v.set(0, reshape(v.cotangent(), v.input().shape()));
}
std::vector<array> Reshape::vmap(const Vmap& v) const {
  return {reshape(v.input(), with_front(shape, v.size()))};
}

void Transpose::vjp(Vjp& v) const {
  std::vector<int> back(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    back[static_cast<std::size_t>(axes[i])] = static_cast<int>(i);
  }
  v.set(0, transpose(v.cotangent(), std::move(back)));
}
std::vector<array> Transpose::vmap(const Vmap& v) const {
  std::vector<int> order{0};
  for (const int axis : axes) order.push_back(axis + 1);
  return {transpose(v.input(), std::move(order))};
}

void Broadcast::vjp(Vjp& v) const {
  v.set(0, v.cotangent());  // the sum over what was repeated is taken for every op
}
std::vector<array> Broadcast::vmap(const Vmap& v) const {
  return {broadcast_to(detail::with_rank(v.input(), shape.size()), with_front(shape, v.size()))};
}

namespace {

bool dense(const Shape& strides) {
  return std::all_of(strides.begin(), strides.end(), [](ShapeElem s) { return s == 1; });
}

// `part` in the place of a slice of zeros of a shape.
array put_slice(const array& part, const Shape& whole, const Slice& s) {
  if (!dense(s.strides)) {
    const array zeros = full(whole, detail::scalar(0, part.dtype(), part.backend()));
    return apply(SliceUpdate{s.start, s.stop, s.strides}, {zeros, part});
  }
  Pad op;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    op.low.push_back(s.start[i]);
    op.high.push_back(whole[i] - s.start[i] - part.shape()[i]);
  }
  return apply(std::move(op), {part, detail::scalar(0, part.dtype(), part.backend())});
}

template <class SliceOp>
SliceOp batched_slice(const SliceOp& op, ShapeElem size) {
  return {with_front(op.start, 0), with_front(op.stop, size), with_front(op.strides, 1)};
}

// What Pad put its first input into.
array unpadded(const array& padded, const Pad& op) {
  Shape stop = padded.shape();
  for (std::size_t i = 0; i < stop.size(); ++i) stop[i] -= op.high[i];
  return slice(padded, op.low, stop);
}

}  // namespace

void Slice::vjp(Vjp& v) const {
  v.set(0, put_slice(v.cotangent(), v.input().shape(), *this));
}
std::vector<array> Slice::vmap(const Vmap& v) const {
  return {apply(batched_slice(*this, v.size()), {v.input()})};
}

void SliceUpdate::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, apply(*this, {v.cotangent(), zeros_like(v.input(1))}));
  if (v.wants(1)) v.set(1, apply(Slice{start, stop, strides}, {v.cotangent()}));
}
std::vector<array> SliceUpdate::vmap(const Vmap& v) const {
  return {apply(batched_slice(*this, v.size()), {v.with_batch(0), v.with_batch(1)})};
}

void Concatenate::vjp(Vjp& v) const {
  const array& ct = v.cotangent();
  Shape start(ct.ndim(), 0), stop = ct.shape();
  stop[static_cast<std::size_t>(axis)] = 0;
  for (std::size_t i = 0; i < v.inputs().size(); ++i) {
    const auto at = static_cast<std::size_t>(axis);
    start[at] = stop[at];
    stop[at] += v.input(i).shape()[at];
    if (v.wants(i)) v.set(i, slice(ct, start, stop));
  }
}
std::vector<array> Concatenate::vmap(const Vmap& v) const {
  std::vector<array> parts;
  for (std::size_t i = 0; i < v.inputs().size(); ++i) parts.push_back(v.with_batch(i));
  return {apply(Concatenate{axis + 1}, std::move(parts))};
}

void Pad::vjp(Vjp& v) const {
  const array inside = unpadded(v.cotangent(), *this);
  v.set(0, inside);
  if (v.wants(1)) v.set(1, sum(v.cotangent()) - sum(inside));
}
std::vector<array> Pad::vmap(const Vmap& v) const {
  const array x = v.with_batch(0);
  const Pad op{with_front(low, 0), with_front(high, 0)};
  if (!v.batched(1)) return {apply(op, {x, v.input(1)})};
  // A value for each of the batch: zeros first, then the value wherever nothing of x lies.
  const array zero = detail::scalar(0, x.dtype(), x.backend());
  const array no = detail::scalar(0, bool_, x.backend());
  const array yes = full(x.shape(), detail::scalar(1, bool_, x.backend()));
  const array value = detail::with_rank(v.input(1), x.ndim() - 1);
  return {where(apply(op, {yes, no}), apply(op, {x, zero}), value)};
}

}  // namespace tessera

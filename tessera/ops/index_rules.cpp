// Gradients and batching of the ops that choose and write elements by index.
#include <algorithm>
#include <numeric>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/embedding.h"
#include "tessera/ops/filled.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/rules.h"
#include "tessera/ops/scatter.h"
#include "tessera/ops/shape.h"

namespace tessera {

using detail::behind_batch_axis;

namespace {

// 0, 1, ... of a batch, to index axis 0 with, beside indices of shape [size, shape...].
array batch_index(const Vmap& v, const Shape& shape) {
  const BackendPtr& backend = v.input(0).backend();
  Shape column(shape.size() + 1, 1);
  column[0] = v.size();
  const array numbers = apply(Arange{0, 1, v.size(), int64}, {}, backend);
  return broadcast_to(reshape(numbers, column), detail::with_front(shape, v.size()));
}

// take(a, indices, axis) where both differ over the batch.
array take_per_batch(const Vmap& v, const array& a, const array& indices, int axis) {
  const Shape one(indices.shape().begin() + 1, indices.shape().end());
  const std::size_t rank = one.size();
  Shape sizes = a.shape();
  sizes[0] = 1;
  sizes[static_cast<std::size_t>(axis) + 1] = 1;
  const array rows = gather(a, {batch_index(v, one), astype(indices, int64)}, {0, axis + 1}, sizes);
  // [B, indices..., 1, before..., 1, after...] with the two axes of 1 dropped, then `before` first.
  Shape shape(rows.shape().begin(), rows.shape().begin() + 1 + std::ptrdiff_t(rank));
  for (int i = 0; i + 1 < static_cast<int>(a.ndim()); ++i) {
    if (i != axis) shape.push_back(a.shape(i + 1));
  }
  std::vector<int> order{0};
  const int n = static_cast<int>(rank);
  for (int i = 0; i < axis; ++i) order.push_back(1 + n + i);
  for (int i = 0; i < n; ++i) order.push_back(1 + i);
  for (int i = axis; i + 2 < static_cast<int>(a.ndim()); ++i) order.push_back(1 + n + i);
  return transpose(reshape(rows, shape), order);
}

array vmap_take(const Vmap& v, std::size_t data, std::size_t indices, int axis) {
  const array &a = v.input(data), &i = v.input(indices);
  if (!v.batched(indices)) return apply(Take{axis + 1}, {a, i});
  if (!v.batched(data)) return detail::to_front(apply(Take{axis}, {a, i}), axis);
  return take_per_batch(v, a, i, axis);
}

// Zeros like `a` plus the rows of `ct` at the indices that Take took them from.
array untake(const array& a, const array& indices, const array& ct, int axis) {
  const int n = static_cast<int>(indices.ndim());
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(axis + i);
  for (int i = 0; i < static_cast<int>(ct.ndim()); ++i) {
    if (i < axis || i >= axis + n) order.push_back(i);
  }
  const array rows = transpose(ct, order);
  Shape shape = rows.shape();
  shape.insert(shape.begin() + n + axis, 1);
  return scatter_add(zeros_like(a), indices, reshape(rows, shape), axis);
}

}  // namespace

void Take::vjp(Vjp& v) const {
  if (v.wants(0)) v.set(0, untake(v.input(0), v.input(1), v.cotangent(), axis));
}
std::vector<array> Take::vmap(const Vmap& v) const {
  return {vmap_take(v, 0, 1, axis)};
}

void Embedding::vjp(Vjp& v) const {
  if (v.wants(1)) v.set(1, untake(v.input(1), v.input(0), v.cotangent(), 0));
}
std::vector<array> Embedding::vmap(const Vmap& v) const {
  if (!v.batched(1)) return {apply(*this, {v.input(0), v.input(1)})};
  return {vmap_take(v, 1, 0, 0)};
}

void TakeAlongAxis::vjp(Vjp& v) const {
  if (!v.wants(0)) return;
  v.set(0, scatter_add_axis(zeros_like(v.input(0)), v.input(1), v.cotangent(), axis));
}
std::vector<array> TakeAlongAxis::vmap(const Vmap& v) const {
  return {apply(behind_batch_axis(*this), {v.with_batch(0), v.with_batch(1)})};
}

namespace {

std::vector<array> after(std::span<const array> in, std::size_t first) {
  return std::vector<array>(in.begin() + static_cast<std::ptrdiff_t>(first), in.end());
}
template <class Axes>
std::vector<int> as_vector(const Axes& axes) {
  return std::vector<int>(axes.begin(), axes.end());
}

// The index arrays from `first` on with a batch axis, and the shape that they have without it.
std::vector<array> batched_indices(const Vmap& v, std::size_t first, Shape& shape) {
  std::vector<array> indices;
  for (std::size_t i = first; i < v.inputs().size(); ++i) indices.push_back(v.with_batch(i));
  if (!indices.empty()) shape = Shape(indices[0].shape().begin() + 1, indices[0].shape().end());
  return indices;
}

}  // namespace

void Gather::vjp(Vjp& v) const {
  if (!v.wants(0)) return;
  v.set(0,
        scatter_add(zeros_like(v.input(0)), after(v.inputs(), 1), v.cotangent(), as_vector(axes)));
}
std::vector<array> Gather::vmap(const Vmap& v) const {
  if (axes.empty()) return {};
  Shape shape;
  std::vector<array> indices = batched_indices(v, 1, shape);
  if (!v.batched(0)) {
    return {gather(v.input(0), indices, as_vector(axes), slice_sizes)};
  }
  std::vector<int> all{0};
  for (const int axis : axes) all.push_back(axis + 1);
  for (array& i : indices) i = astype(i, int64);
  indices.insert(indices.begin(), batch_index(v, shape));
  const array found = gather(v.input(0), indices, all, detail::with_front(slice_sizes, 1));
  Shape out = found.shape();
  out.erase(out.begin() + 1 + static_cast<std::ptrdiff_t>(shape.size()));
  return {reshape(found, out)};
}

namespace {

// Gradients of a scatter, given how to read (gather) what is at the places it wrote to, and how to
// write there.
template <class Read, class Write>
void scatter_vjp(Vjp& v, ScatterReduce reduce, Read read, Write write) {
  const array& ct = v.cotangent();
  const array &x = v.input(0), &updates = v.input(1);
  switch (reduce) {
    case ScatterReduce::none:
      if (v.wants(0)) v.set(0, write(ct, zeros_like(updates)));
      if (v.wants(1)) {
        // Of updates of one element only the last, which stays, gets the gradient.
        const array number =
            reshape(apply(Arange{1, 1, updates.size(), int64}, {}, ct.backend()), updates.shape());
        const array last = read(write(astype(zeros_like(x), int64), number)) == number;
        const array flowing = read(ct);
        v.set(1, where(last, flowing, zeros_like(flowing)));
      }
      return;
    case ScatterReduce::sum:
      v.set(0, ct);
      if (v.wants(1)) v.set(1, read(ct));
      return;
    case ScatterReduce::max:
    case ScatterReduce::min: {
      // To everything that reached the result, as MLX does.
      if (v.wants(0)) v.set(0, where(x == v.output(), ct, zeros_like(ct)));
      if (v.wants(1)) {
        const array flowing = read(ct);
        v.set(1, where(read(v.output()) == updates, flowing, zeros_like(flowing)));
      }
      return;
    }
    case ScatterReduce::prod: v.use_lowering();
  }
}

}  // namespace

void Scatter::vjp(Vjp& v) const {
  const std::vector<array> indices = after(v.inputs(), 2);
  const std::vector<int> on = as_vector(axes);
  const Shape& updates = v.input(1).shape();
  const Shape sizes(updates.end() - static_cast<std::ptrdiff_t>(v.input(0).ndim()), updates.end());
  scatter_vjp(
      v, reduce, [&](const array& from) { return gather(from, indices, on, sizes); },
      [&](const array& to, const array& values) { return scatter(to, indices, values, on); });
}
std::vector<array> Scatter::vmap(const Vmap& v) const {
  if (axes.empty()) return {};
  Shape shape;
  std::vector<array> inputs = batched_indices(v, 2, shape);
  for (array& i : inputs) i = astype(i, int64);
  inputs.insert(inputs.begin(), batch_index(v, shape));
  Scatter op = *this;
  op.axes = detail::behind_batch(axes);
  op.axes.insert(op.axes.begin(), 0);
  Shape updates = v.with_batch(1).shape();
  updates.insert(updates.begin() + 1 + static_cast<std::ptrdiff_t>(shape.size()), 1);
  inputs.insert(inputs.begin(), reshape(v.with_batch(1), updates));
  inputs.insert(inputs.begin(), v.with_batch(0));
  return {apply(std::move(op), std::move(inputs))};
}

void ScatterAxis::vjp(Vjp& v) const {
  const array& indices = v.input(2);
  scatter_vjp(
      v, reduce, [&](const array& from) { return take_along_axis(from, indices, axis); },
      [&](const array& to, const array& values) {
        return put_along_axis(to, indices, values, axis);
      });
}
std::vector<array> ScatterAxis::vmap(const Vmap& v) const {
  return {apply(behind_batch_axis(*this), {v.with_batch(0), v.with_batch(1), v.with_batch(2)})};
}

}  // namespace tessera

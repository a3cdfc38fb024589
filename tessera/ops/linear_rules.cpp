// Gradients and batching of products with matrices, normalisation, rotation and attention.
#include <cmath>

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/rules.h"
#include "tessera/ops/matmul.h"
#include "tessera/ops/norm.h"
#include "tessera/ops/passthrough.h"
#include "tessera/ops/quantize.h"
#include "tessera/ops/quantized.h"
#include "tessera/ops/quantized_matmul.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/rope.h"
#include "tessera/ops/sdpa.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

// [..., K] as [rows, K].
array as_rows(const array& a) {
  const ShapeElem last = a.shape().back();
  ShapeElem rows = 1;
  for (std::size_t i = 0; i + 1 < a.ndim(); ++i) rows *= a.shape()[i];
  return reshape(a, {rows, last});
}

array transposed(const array& a) {
  return swapaxes(a, -1, -2);
}

// Over all axes but the last.
array sum_rows(const array& a) {
  return a.ndim() == 1 ? a : sum(as_rows(a), 0);
}

array in_float32(const array& a) {
  return astype(a, promote_types(a.dtype(), float32));
}

}  // namespace

void Matmul::vjp(Vjp& v) const {
  const array &a = v.input(0), &b = v.input(1), &ct = v.cotangent();
  if (v.wants(0)) v.set(0, matmul(ct, transposed(b)));
  if (!v.wants(1)) return;
  // One matrix for the whole batch: its gradient is one product over all rows.
  if (b.ndim() == 2 && a.ndim() > 2) {
    v.set(1, matmul(transposed(as_rows(a)), as_rows(ct)));
  } else {
    v.set(1, matmul(transposed(a), ct));
  }
}
std::vector<array> Matmul::vmap(const Vmap& v) const {
  const std::size_t rank = std::max(v.rank(0), v.rank(1));
  const auto operand = [&](std::size_t i) {
    return v.batched(i) ? detail::with_rank(v.input(i), rank) : v.input(i);
  };
  return {apply(*this, {operand(0), operand(1)})};
}

void Linear::vjp(Vjp& v) const {
  const array &x = v.input(0), &w = v.input(1), &ct = v.cotangent();
  if (v.wants(0)) v.set(0, reshape(matmul(as_rows(ct), w), x.shape()));
  if (v.wants(1)) v.set(1, matmul(transposed(as_rows(ct)), as_rows(x)));
  if (v.inputs().size() > 2 && v.wants(2)) v.set(2, sum_rows(ct));
}
std::vector<array> Linear::vmap(const Vmap& v) const {
  const bool bias = v.inputs().size() > 2;
  if (!v.batched(1) && !(bias && v.batched(2))) {
    return {apply(*this, std::vector<array>(v.inputs().begin(), v.inputs().end()))};
  }
  const std::size_t rank = std::max<std::size_t>(v.rank(0), 1);
  array x = v.with_batch(0);
  const bool vector = rank == 1;
  if (vector) x = detail::with_rank(x, 2);
  const array w = v.batched(1) ? detail::with_rank(transposed(v.input(1)), vector ? 2 : rank)
                               : transposed(v.input(1));
  const Dtype dtype = promote_types(x.dtype(), w.dtype());
  array y = matmul(astype(x, dtype), astype(w, dtype));
  if (vector) y = squeeze(y, 1);
  if (!bias) return {y};
  const array b = v.batched(2) ? detail::with_rank(v.input(2), rank) : v.input(2);
  return {y + astype(b, dtype)};
}

void RmsNorm::vjp(Vjp& v) const {
  const array x = in_float32(v.input(0)), ct = in_float32(v.cotangent());
  const array scale = rsqrt(mean(square(x), -1, true) + eps);
  const bool weighted = v.inputs().size() > 1;
  if (v.wants(0)) {
    const array g = weighted ? ct * in_float32(v.input(1)) : ct;
    v.set(0, g * scale - x * (scale * scale * scale) * mean(g * x, -1, true));
  }
  if (weighted && v.wants(1)) v.set(1, sum_rows(ct * (x * scale)));
}
std::vector<array> RmsNorm::vmap(const Vmap& v) const {
  if (v.inputs().size() > 1 && v.batched(1)) return {};
  return {apply(*this, std::vector<array>(v.inputs().begin(), v.inputs().end()))};
}

void LayerNorm::vjp(Vjp& v) const {
  const array x = in_float32(v.input(0)), ct = in_float32(v.cotangent());
  const array centred = x - mean(x, -1, true);
  const array scale = rsqrt(mean(square(centred), -1, true) + eps);
  const array normal = centred * scale;
  const std::size_t bias_at = has_weight ? 2 : 1;
  if (v.wants(0)) {
    const array g = has_weight ? ct * in_float32(v.input(1)) : ct;
    v.set(0, scale * (g - mean(g, -1, true) - normal * mean(g * normal, -1, true)));
  }
  if (has_weight && v.wants(1)) v.set(1, sum_rows(ct * normal));
  if (has_bias && v.wants(bias_at)) v.set(bias_at, sum_rows(ct));
}
std::vector<array> LayerNorm::vmap(const Vmap& v) const {
  const std::vector<array> inputs(v.inputs().begin(), v.inputs().end());
  bool shared = true;
  for (std::size_t i = 1; i < inputs.size(); ++i) shared = shared && !v.batched(i);
  if (shared) return {apply(*this, inputs)};
  const Dtype dtype = promote_types(inputs[0].dtype(), inputs[1].dtype());
  array y = apply(LayerNorm{eps, false, false}, {in_float32(v.with_batch(0))});
  const auto row = [&](std::size_t i) {
    return in_float32(v.batched(i) ? detail::with_rank(inputs[i], v.rank(0)) : inputs[i]);
  };
  if (has_weight) y = y * row(1);
  if (has_bias) y = y + row(has_weight ? 2 : 1);
  return {astype(y, dtype)};
}

// A rotation's transpose turns back.
void Rope::vjp(Vjp& v) const {
  if (v.inputs().size() > 2 && v.wants(2)) {
    v.use_lowering();
    return;
  }
  Rope back = *this;
  back.scale = -scale;
  std::vector<array> inputs(v.inputs().begin(), v.inputs().end());
  inputs[0] = v.cotangent();
  v.set(0, apply(std::move(back), std::move(inputs)));
}
std::vector<array> Rope::compose(std::span<const array> in) const {
  const array x = in_float32(in[0]);
  const int rank = static_cast<int>(x.ndim());
  const ShapeElem steps = x.shape(-2), features = x.shape(-1), half = dims / 2;
  const BackendPtr& backend = x.backend();
  // Angles [T, half], or [B, 1..., T, half] with a position for each of the batch.
  const array t = reshape(apply(Arange{0, 1, steps, float32}, {}, backend), {steps, 1});
  Shape starts(static_cast<std::size_t>(rank), 1);
  array offset = astype(in[1], float32);
  if (offset.size() > 1) {
    starts[0] = offset.size();
    offset = reshape(offset, starts);
  }
  const array turns = in.size() > 2
                          ? in_float32(in[2])
                          : power(detail::scalar(base, float32, backend),
                                  apply(Arange{0, 2.0 / dims, half, float32}, {}, backend));
  const array angles = (offset + t) * scale / turns;
  const array c = cos(angles), s = sin(angles);
  Shape whole = x.shape();
  const auto part = [&](ShapeElem from, ShapeElem to, ShapeElem step) {
    Shape start(whole.size(), 0), stop = whole, strides(whole.size(), 1);
    start[whole.size() - 1] = from;
    stop[whole.size() - 1] = to;
    strides[whole.size() - 1] = step;
    return slice(x, start, stop, strides);
  };
  const array a = traditional ? part(0, dims, 2) : part(0, half, 1);
  const array b = traditional ? part(1, dims, 2) : part(half, dims, 1);
  const array turned_a = a * c - b * s, turned_b = a * s + b * c;
  std::vector<array> parts;
  if (traditional) {
    Shape joined = turned_a.shape();
    joined.back() = dims;
    parts.push_back(reshape(stack({turned_a, turned_b}, rank), joined));
  } else {
    parts = {turned_a, turned_b};
  }
  if (dims < features) parts.push_back(part(dims, features, 1));
  return {astype(concatenate(std::move(parts), -1), in[0].dtype())};
}

std::vector<array> Rope::vmap(const Vmap& v) const {
  for (std::size_t i = 1; i < v.inputs().size(); ++i) {
    if (v.batched(i) || (i == 1 && v.input(i).ndim() > 0 && v.input(i).size() > 1)) return {};
  }
  std::vector<array> inputs(v.inputs().begin(), v.inputs().end());
  return {apply(*this, std::move(inputs))};
}

void QuantizedMatmul::vjp(Vjp& v) const {
  const array &x = v.input(0), &ct = v.cotangent();
  std::vector<array> inputs(v.inputs().begin(), v.inputs().end());
  if (v.wants(0)) {
    inputs[0] = ct;
    v.set(0, apply(QuantizedMatmul{groups, !transpose}, inputs));
  }
  const bool biased = inputs.size() > 3;
  if (!v.wants(2) && !(biased && v.wants(3))) return;
  // The gradient of the matrix itself, of which a scale takes the part that its codes weigh and a
  // bias the plain sum over its group.
  const bool shared = inputs[1].ndim() == 2;
  const array rows = in_float32(shared ? as_rows(x) : x),
              flow = in_float32(shared ? as_rows(ct) : ct);
  const array matrix = transpose ? matmul(transposed(flow), rows) : matmul(transposed(rows), flow);
  Shape grouped = inputs[2].shape();
  grouped.push_back(groups.group_size);
  const auto per_group = [&](const array& a) {
    Shape batched(a.shape().begin(), a.shape().end() - 1);
    batched.push_back(grouped[grouped.size() - 2]);
    batched.push_back(grouped.back());
    return sum(reshape(a, batched), -1);
  };
  if (biased && v.wants(3)) v.set(3, per_group(matrix));
  if (!v.wants(2)) return;
  std::vector<array> plain{inputs[1],
                           full(inputs[2].shape(), detail::scalar(1, float32, x.backend()))};
  if (biased) plain.push_back(full(inputs[2].shape(), detail::scalar(0, float32, x.backend())));
  v.set(2, per_group(matrix * apply(DequantizeGroups{groups, float32}, std::move(plain))));
}
std::vector<array> QuantizedMatmul::vmap(const Vmap& v) const {
  for (std::size_t i = 1; i < v.inputs().size(); ++i) {
    if (v.batched(i) || v.input(i).ndim() > 2) return {};
  }
  return {apply(*this, std::vector<array>(v.inputs().begin(), v.inputs().end()))};
}

std::vector<array> QuantizedLinear::vmap(const Vmap& v) const {
  for (std::size_t i = 1; i < v.inputs().size(); ++i) {
    if (v.batched(i)) return {};
  }
  return {apply(*this, std::vector<array>(v.inputs().begin(), v.inputs().end()))};
}
std::vector<array> QuantizedEmbedding::vmap(const Vmap& v) const {
  if (v.batched(1)) return {};
  return {apply(*this, {v.input(0), v.input(1)})};
}
std::vector<array> Dequantize::vmap(const Vmap& v) const {
  return {apply(*this, {v.input(0)})};
}

namespace {

// Whether query i of L may see key j of S, [L, S] bool.
array visible(const Sdpa& op, ShapeElem queries, ShapeElem keys, const BackendPtr& backend) {
  const double first = static_cast<double>(keys - queries);
  const array i = reshape(apply(Arange{first, 1, queries, int64}, {}, backend), {queries, 1});
  const array j = reshape(apply(Arange{0, 1, keys, int64}, {}, backend), {1, keys});
  const array before = j <= i;
  return op.window > 0 ? logical_and(before, j > i - op.window) : before;
}

}  // namespace

std::vector<array> Sdpa::compose(std::span<const array> in) const {
  const Shape &qs = in[0].shape(), &ks = in[1].shape(), &vs = in[2].shape();
  const ShapeElem batch = qs[0], heads = ks[1], group = qs[1] / ks[1];
  // Queries that share a key head side by side: [B, Hkv, G, L, D] with keys [B, Hkv, 1, S, D].
  const array q = reshape(in_float32(in[0]), {batch, heads, group, qs[2], qs[3]});
  const array k = reshape(in_float32(in[1]), {batch, heads, 1, ks[2], ks[3]});
  const array values = reshape(in_float32(in[2]), {batch, heads, 1, vs[2], vs[3]});
  array scores = matmul(q * scale, transposed(k));
  if (softcap > 0) scores = softcap * tanh(scores / softcap);
  const array none = detail::scalar(-INFINITY, scores.dtype(), scores.backend());
  if (causal) scores = where(visible(*this, qs[2], ks[2], q.backend()), scores, none);
  if (in.size() > (has_sinks ? 4u : 3u)) {
    const array mask = reshape(in[3], {batch, heads, group, qs[2], ks[2]});
    scores = mask.dtype() == bool_ ? where(mask, scores, none) : scores + mask;
  }
  // A row without a visible key is all zeros, also in its gradient.
  array highest = max(scores, -1, true);
  const array sinks = has_sinks ? reshape(in.back(), {1, heads, group, 1, 1}) : none;
  if (has_sinks) highest = maximum(highest, sinks);
  const array shift = where(highest == none, detail::scalar(0, float32, q.backend()), highest);
  const array weights = exp(scores - stop_gradient(shift));
  array total = sum(weights, -1, true);
  if (has_sinks) total = total + exp(sinks - stop_gradient(shift));
  const array one = detail::scalar(1, total.dtype(), total.backend());
  const array out = matmul(weights / where(total == 0, one, total), values);
  return {astype(reshape(out, {batch, qs[1], qs[2], vs[3]}), in[0].dtype())};
}

std::vector<array> Sdpa::vmap(const Vmap& v) const {
  if (v.inputs().size() > 3) return {};  // a mask or sinks
  std::vector<array> folded;
  for (std::size_t i = 0; i < 3; ++i) {
    const array a = v.with_batch(i);
    folded.push_back(reshape(a, {a.shape(0) * a.shape(1), a.shape(2), a.shape(3), a.shape(4)}));
  }
  const ShapeElem inner = v.with_batch(0).shape(1);
  const array out = apply(*this, std::move(folded));
  return {reshape(out, {v.size(), inner, out.shape(1), out.shape(2), out.shape(3)})};
}

}  // namespace tessera

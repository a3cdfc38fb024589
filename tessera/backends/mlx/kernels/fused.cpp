// The ops that transformers are made of, through mlx::core::fast.
#include <mlx/fast.h>

#include <limits>

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/norm.h"
#include "tessera/ops/rope.h"
#include "tessera/ops/sdpa.h"

namespace tessera::mlx_backend {

namespace {

std::optional<mx::array> optional_input(Call& call, bool there, std::size_t i) {
  return there ? std::optional(call.wide_on_cpu(call.in[i])) : std::nullopt;
}

mx::array rms_norm(Call& call, const RmsNorm& op) {
  return call.result(mx::fast::rms_norm(call.wide_on_cpu(call.in[0]),
                                        optional_input(call, call.in.size() > 1, 1), op.eps,
                                        call.stream));
}

mx::array layer_norm(Call& call, const LayerNorm& op) {
  return call.result(mx::fast::layer_norm(
      call.wide_on_cpu(call.in[0]), optional_input(call, op.has_weight, 1),
      optional_input(call, op.has_bias, op.has_weight ? 2 : 1), op.eps, call.stream));
}

mx::array rope(Call& call, const Rope& op) {
  const mx::array x = call.wide_on_cpu(call.in[0]);
  std::optional<mx::array> freqs;
  std::optional<float> base = op.base;
  if (call.in.size() > 2) {
    freqs = call.in[2];
    base.reset();
  }
  mx::array offset = call.in[1];
  if (offset.ndim() == 1 && offset.shape(0) == 1) offset = mx::squeeze(offset, call.stream);
  return call.result(
      mx::fast::rope(x, op.dims, op.traditional, base, op.scale, offset, freqs, call.stream));
}

// Which keys a query sees by its position: bool [L, S].
mx::array positions(Call& call, const Sdpa& op, int queries, int keys) {
  const mx::array row =
      mx::arange(keys - queries, keys, 1, call.stream);  // the last key that each query sees
  const mx::array last = mx::expand_dims(row, 1, call.stream);
  const mx::array key = mx::expand_dims(mx::arange(0, keys, 1, call.stream), 0, call.stream);
  mx::array sees = mx::less_equal(key, last, call.stream);
  if (op.window > 0) {
    const mx::array first = mx::subtract(last, mx::array(op.window), call.stream);
    sees = mx::logical_and(sees, mx::greater(key, first, call.stream), call.stream);
  }
  return sees;
}

// The scores spelled out, for what MLX's fused attention has no parameter for.
mx::array capped_attention(Call& call, const Sdpa& op, const mx::array& q, const mx::array& k,
                           const mx::array& v, const std::optional<mx::array>& mask,
                           const std::optional<mx::array>& sinks) {
  const int groups = q.shape(1) / k.shape(1);
  const mx::Shape grouped{q.shape(0), k.shape(1), groups, q.shape(2), q.shape(3)};
  const auto number = [&](float value) { return mx::array(value, q.dtype()); };
  const mx::array queries =
      mx::multiply(mx::reshape(q, grouped, call.stream), number(op.scale), call.stream);
  const mx::array keys = mx::swapaxes(mx::expand_dims(k, 2, call.stream), -1, -2, call.stream);
  mx::array scores = mx::matmul(queries, keys, call.stream);
  if (op.softcap > 0) {
    const mx::array cap = number(op.softcap);
    scores =
        mx::multiply(cap, mx::tanh(mx::divide(scores, cap, call.stream), call.stream), call.stream);
  }
  if (mask) {
    const mx::Shape split{q.shape(0), k.shape(1), groups, q.shape(2), k.shape(2)};
    const mx::array m = mask->ndim() == 4 ? mx::reshape(*mask, split, call.stream) : *mask;
    if (m.dtype() == mx::bool_) {
      const mx::array never(-std::numeric_limits<float>::infinity(), scores.dtype());
      scores = mx::where(m, scores, never, call.stream);
    } else {
      scores = mx::add(scores, m, call.stream);
    }
  }
  if (sinks) {
    const mx::array column = mx::reshape(*sinks, {1, k.shape(1), groups, 1, 1}, call.stream);
    const mx::Shape each{q.shape(0), k.shape(1), groups, q.shape(2), 1};
    scores =
        mx::concatenate({scores, mx::broadcast_to(column, each, call.stream)}, -1, call.stream);
  }
  mx::array weights = mx::softmax(scores, std::vector<int>{-1}, true, call.stream);
  if (sinks) {  // their share is lost
    mx::Shape stop = weights.shape();
    stop.back() = k.shape(2);
    weights = mx::slice(weights, mx::Shape(weights.ndim(), 0), stop, call.stream);
  }
  const mx::array out = mx::matmul(weights, mx::expand_dims(v, 2, call.stream), call.stream);
  return mx::reshape(out, call.out_shape(), call.stream);
}

mx::array sdpa(Call& call, const Sdpa& op) {
  const mx::array q = call.wide_on_cpu(call.in[0]);
  const mx::array k = call.wide_on_cpu(call.in[1]);
  const mx::array v = call.wide_on_cpu(call.in[2]);
  const int queries = q.shape(2);
  const int keys = k.shape(2);
  if (keys == 0) return mx::zeros(call.out_shape(), call.out_dtype(), call.stream);

  std::optional<mx::array> mask;
  if (call.in.size() > (op.has_sinks ? 4u : 3u)) mask = call.in[3];
  std::optional<mx::array> sinks;
  if (op.has_sinks) sinks = call.cast(call.in.back(), q.dtype());
  // What a query may see, if there may be one that sees nothing: it gives zeros, and not MLX's NaN.
  std::optional<mx::array> sees;
  if (op.causal && (mask || op.window > 0 || op.softcap > 0 || queries > keys)) {
    const mx::array by_position = positions(call, op, queries, keys);
    sees = by_position;
    if (!mask) {
      mask = by_position;
    } else if (mask->dtype() == mx::bool_) {
      mask = mx::logical_and(*mask, by_position, call.stream);
    } else {
      const mx::array never(-std::numeric_limits<float>::infinity(), mx::float32);
      mask = mx::where(by_position, *mask, never, call.stream);
    }
  }
  if (mask) {
    if (mask->dtype() == mx::bool_) {
      sees = *mask;
    } else {
      const mx::array never(-std::numeric_limits<float>::infinity(), mx::float32);
      sees = mx::not_equal(*mask, never, call.stream);
    }
  }

  mx::array out = q;
  if (op.softcap > 0) {
    out = capped_attention(call, op, q, k, v, mask, sinks);
  } else {
    const char* mode = mask ? "array" : op.causal ? "causal" : "";
    std::optional<mx::array> cast_mask;
    if (mask) cast_mask = mask->dtype() == mx::bool_ ? *mask : call.cast(*mask, q.dtype());
    out = mx::fast::scaled_dot_product_attention(q, k, v, op.scale, mode, cast_mask, sinks, false,
                                                 call.stream);
  }
  if (sees) {
    const mx::array any = mx::any(*sees, -1, true, call.stream);
    out = mx::where(any, out, mx::array(0, out.dtype()), call.stream);
  }
  return call.result(out);
}

}  // namespace

void add_fused(KernelTable& table) {
  table.add<RmsNorm, rms_norm>();
  table.add<LayerNorm, layer_norm>();
  table.add<Rope, rope>();
  table.add<Sdpa, sdpa>();
}

}  // namespace tessera::mlx_backend

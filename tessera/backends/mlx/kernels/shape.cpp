// Ops that move elements.
#include "tessera/ops/shape.h"

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/ops/creation.h"

namespace tessera::mlx_backend {

namespace {

mx::array reshape(Call& call, const Reshape&) {
  return mx::reshape(call.in[0], call.out_shape(), call.stream);
}
mx::array transpose(Call& call, const Transpose& op) {
  return mx::transpose(call.in[0], to_ints(op.axes), call.stream);
}
mx::array broadcast(Call& call, const Broadcast&) {
  return mx::broadcast_to(call.in[0], call.out_shape(), call.stream);
}

// The contract's bounds are exact, -1 being "before the first"; MLX counts negative ones from the
// end.
mx::Shape stop_of(const Shape& stop, const mx::Shape& shape) {
  mx::Shape out = to_mlx(stop);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] < 0) out[i] = -shape[i] - 1;
  }
  return out;
}

mx::array slice(Call& call, const Slice& op) {
  return mx::slice(call.in[0], to_mlx(op.start), stop_of(op.stop, call.in[0].shape()),
                   to_mlx(op.strides), call.stream);
}
mx::array slice_update(Call& call, const SliceUpdate& op) {
  if (call.in[1].size() == 0) return call.in[0];
  return mx::slice_update(call.in[0], call.in[1], to_mlx(op.start),
                          stop_of(op.stop, call.in[0].shape()), to_mlx(op.strides), call.stream);
}

mx::array concatenate(Call& call, const Concatenate& op) {
  std::vector<mx::array> parts;
  for (const mx::array& part : call.in) {
    if (part.size() != 0) parts.push_back(part);
  }
  return mx::concatenate(std::move(parts), op.axis, call.stream);
}

mx::array pad(Call& call, const Pad& op) {
  if (call.in[0].size() == 0) return mx::broadcast_to(call.in[1], call.out_shape(), call.stream);
  std::vector<int> axes;
  for (std::size_t i = 0; i < op.low.size(); ++i) axes.push_back(static_cast<int>(i));
  if (axes.empty()) return call.in[0];
  return mx::pad(call.in[0], axes, to_mlx(op.low), to_mlx(op.high), call.in[1], "constant",
                 call.stream);
}

// Counted in integers and multiplied, where MLX's own arange adds steps in the dtype.
mx::array arange(Call& call, const Arange& op) {
  const mx::array i = mx::arange(0, static_cast<int>(op.count), 1, call.stream);
  const auto line = [&](auto start, auto step, mx::Dtype dtype) {
    const mx::array scaled = mx::multiply(call.cast(i, dtype), mx::array(step, dtype), call.stream);
    return call.result(mx::add(mx::array(start, dtype), scaled, call.stream));
  };
  const auto start = static_cast<std::int64_t>(op.start);
  const auto step = static_cast<std::int64_t>(op.step);
  const bool whole = static_cast<double>(start) == op.start && static_cast<double>(step) == op.step;
  if (whole && is_integer(op.dtype)) return line(start, step, mx::int64);
  return line(op.start, op.step, call.on_cpu() ? mx::float64 : mx::float32);
}

}  // namespace

void add_shape(KernelTable& table) {
  table.add<Reshape, reshape>();
  table.add<Transpose, transpose>();
  table.add<Broadcast, broadcast>();
  table.add<Slice, slice>();
  table.add<SliceUpdate, slice_update>();
  table.add<Concatenate, concatenate>();
  table.add<Pad, pad>();
  table.add<Arange, arange>();
}

}  // namespace tessera::mlx_backend

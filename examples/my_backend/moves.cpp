// Ops that move elements without computing: shapes, slices, indices, dtypes.
#include <tessera/ops/complex.h>
#include <tessera/ops/creation.h>
#include <tessera/ops/index.h>
#include <tessera/ops/shape.h>

#include <cstring>

#include "convert.h"
#include "tensor.h"

namespace my_backend {

namespace {

// A region of a dense tensor: where it starts, and its steps per axis.
struct Region {
  std::int64_t start = 0;
  Strides strides;
};

Region region_of(const Shape& shape, const Shape& start, const Shape& steps) {
  Region r{0, row_major_strides(shape)};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    r.start += start[i] * r.strides[i];
    r.strides[i] *= steps[i];
  }
  return r;
}

// y[i] = x[region], i over `shape` in row-major order.
void take_region(const DenseTensor& x, const Region& region, const Shape& shape, std::byte* y) {
  const std::size_t width = x.dtype().size();
  walk(shape, region.start, region.strides, [&](std::int64_t i, std::int64_t at) {
    std::memcpy(y + i * width, x.bytes() + at * width, width);
  });
}

// y[region] = x[i].
void put_region(const DenseTensor& x, DenseTensor& y, const Region& region) {
  const std::size_t width = x.dtype().size();
  walk(x.shape(), region.start, region.strides, [&](std::int64_t i, std::int64_t at) {
    std::memcpy(y.bytes() + at * width, x.bytes() + i * width, width);
  });
}

TensorPtr do_reshape(const Context& ctx, const Reshape&, Inputs in, const TensorSpec& out) {
  return ctx.view(dense(in[0]), out);
}

TensorPtr do_transpose(const Context& ctx, const Transpose& op, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  const Strides from = row_major_strides(in[0]->shape());
  Region region{0, Strides(op.axes.size())};
  for (std::size_t i = 0; i < op.axes.size(); ++i) region.strides[i] = from[op.axes[i]];
  take_region(dense(in[0]), region, out.shape, y->bytes());
  return y;
}

TensorPtr do_broadcast(const Context& ctx, const Broadcast&, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  take_region(dense(in[0]), {0, strides_for(in[0]->shape(), out.shape)}, out.shape, y->bytes());
  return y;
}

TensorPtr do_slice(const Context& ctx, const Slice& op, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  take_region(dense(in[0]), region_of(in[0]->shape(), op.start, op.strides), out.shape, y->bytes());
  return y;
}

TensorPtr do_slice_update(const Context& ctx, const SliceUpdate& op, Inputs in,
                          const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  std::memcpy(y->bytes(), dense(in[0]).bytes(), y->size() * out.dtype.size());
  put_region(dense(in[1]), *y, region_of(out.shape, op.start, op.strides));
  return y;
}

TensorPtr do_concatenate(const Context& ctx, const Concatenate& op, Inputs in,
                         const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  Shape start(out.shape.size(), 0);
  for (const TensorPtr& part : in) {
    put_region(dense(part), *y, region_of(out.shape, start, Shape(start.size(), 1)));
    start[op.axis] += part->shape()[op.axis];
  }
  return y;
}

TensorPtr do_pad(const Context& ctx, const Pad& op, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  take_region(dense(in[1]), {0, strides_for(in[1]->shape(), out.shape)}, out.shape, y->bytes());
  put_region(dense(in[0]), *y, region_of(out.shape, op.low, Shape(op.low.size(), 1)));
  return y;
}

// Slices of x along an axis: [outer, axis, inner] -> [outer, indices, inner].
TensorPtr do_take(const Context& ctx, const Take& op, Inputs in, const TensorSpec& out) {
  const Shape& shape = in[0]->shape();
  const std::vector<std::int64_t> index = indices(Take::kName, dense(in[1]), shape[op.axis]);
  const DensePtr y = ctx.make(out);
  std::int64_t outer = 1;
  std::int64_t inner = out.dtype.size();
  for (int i = 0; i < op.axis; ++i) outer *= shape[i];
  for (std::size_t i = op.axis + 1; i < shape.size(); ++i) inner *= shape[i];
  std::byte* to = y->bytes();
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t i : index) {
      std::memcpy(to, dense(in[0]).bytes() + (o * shape[op.axis] + i) * inner, inner);
      to += inner;
    }
  }
  return y;
}

TensorPtr do_where(const Context& ctx, const Select&, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  const std::size_t width = out.dtype.size();
  // x everywhere, then y where the condition is false.
  take_region(dense(in[1]), {0, strides_for(in[1]->shape(), out.shape)}, out.shape, y->bytes());
  std::vector<bool> keep(y->size());
  walk(out.shape, 0, strides_for(in[0]->shape(), out.shape),
       [&](std::int64_t i, std::int64_t at) { keep[i] = dense(in[0]).data<bool>()[at]; });
  walk(out.shape, 0, strides_for(in[2]->shape(), out.shape), [&](std::int64_t i, std::int64_t at) {
    if (!keep[i]) std::memcpy(y->bytes() + i * width, dense(in[2]).bytes() + at * width, width);
  });
  return y;
}

TensorPtr do_arange(const Context& ctx, const Arange& op, Inputs, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  dispatch(out.dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < op.count; ++i) {
      y->template data<T>()[i] = convert<T>(op.start + static_cast<double>(i) * op.step);
    }
  });
  return y;
}

TensorPtr do_cast(const Context& ctx, const Cast&, Inputs in, const TensorSpec& out) {
  return ctx.cast(in[0], out.dtype);
}

TensorPtr do_imag(const Context& ctx, const Imag&, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  for (std::int64_t i = 0; i < y->size(); ++i) {
    y->data<float>()[i] = dense(in[0]).data<complex64_t>()[i].imag();
  }
  return y;
}

}  // namespace

void add_moves(Kernels& kernels) {
  add<Reshape, do_reshape>(kernels);
  add<Transpose, do_transpose>(kernels);
  add<Broadcast, do_broadcast>(kernels);
  add<Slice, do_slice>(kernels);
  add<SliceUpdate, do_slice_update>(kernels);
  add<Concatenate, do_concatenate>(kernels);
  add<Pad, do_pad>(kernels);
  add<Take, do_take>(kernels);
  add<Select, do_where>(kernels);
  add<Arange, do_arange>(kernels);
  add<Cast, do_cast>(kernels);
  add<Imag, do_imag>(kernels);
}

}  // namespace my_backend

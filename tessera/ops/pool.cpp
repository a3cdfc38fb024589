#include "tessera/ops/pool.h"

#include "tessera/ir/node.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/limits.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/shape.h"

namespace tessera {

namespace {

bool is_half(Dtype dtype) {
  return is_floating(dtype) && dtype.size() < 4;
}

// Spatial axis i of a shape [N, space..., C] is axis i + 1.
Shape padded_shape(const Pool& op, const array& x) {
  Shape out = x.shape();
  for (std::size_t i = 0; i < op.window.size(); ++i) out[i + 1] += 2 * op.padding[i];
  return out;
}

array padded(const Pool& op, const array& x, const array& value) {
  const Shape shape = padded_shape(op, x);
  if (shape == x.shape()) return x;
  Shape start(x.ndim(), 0);
  Shape stop = x.shape();
  for (std::size_t i = 0; i < op.window.size(); ++i) {
    start[i + 1] = op.padding[i];
    stop[i + 1] += op.padding[i];
  }
  return slice_update(full(shape, value), x, std::move(start), std::move(stop));
}

array pool(Pool::Kind kind, const char* name, std::size_t rank, const array& x, Shape window,
           Shape stride, Shape padding) {
  for (Shape* sizes : {&window, &stride, &padding}) {
    if (sizes->size() == 1) *sizes = Shape(rank, (*sizes)[0]);
  }
  const bool mean = kind == Pool::Kind::mean;
  if (x.ndim() != rank + 2 || window.size() != rank || stride.size() != rank ||
      padding.size() != rank) {
    fail(ErrorCode::shape_mismatch, name,
         "{} with kernel {}, stride {}, padding {} is not a batch with {} spatial axes and "
         "channels last",
         detail::describe(x), to_string(window), to_string(stride), to_string(padding), rank);
  }
  return apply(Pool{kind, std::move(window), std::move(stride), std::move(padding)},
               {mean ? astype(x, detail::at_least_float(x.dtype())) : x});
}

}  // namespace

TensorSpec MeanPool::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 2, 2);
  detail::check_floating(kName, in[0]);
  const Shape& shape = in[0].shape();
  if (shape.size() != 3 || in[1].shape() != Shape{shape[0], shape[1]}) {
    fail(ErrorCode::shape_mismatch, kName, "needs x [B, T, D] and mask [B, T], got {} and {}",
         detail::describe(in[0]), detail::describe(in[1]));
  }
  if (in[1].dtype() != bool_) {
    fail(ErrorCode::unsupported_dtype, kName, "the mask must be bool, got {}",
         detail::describe(in[1]));
  }
  return {{shape[0], shape[2]}, in[0].dtype()};
}

std::vector<array> MeanPool::lower(std::span<const array> in) const {
  const Dtype dtype = promote_types(in[0].dtype(), float32);
  const array keep = expand_dims(in[1], -1);
  const array zero = detail::scalar(0, dtype, in[0].backend());
  const array total = sum(where(keep, astype(in[0], dtype), zero), 1);
  const array count = astype(sum(keep, 1), dtype);
  return {astype(total / maximum(count, detail::scalar(1, dtype, in[0].backend())), in[0].dtype())};
}

TensorSpec Pool::infer(std::span<const array> in) const {
  detail::check_count(kName, in, 1, 1);
  const array& x = in[0];
  const std::size_t rank = window.size();
  if (x.ndim() != rank + 2 || stride.size() != rank || padding.size() != rank) {
    fail(ErrorCode::shape_mismatch, kName, "windows of {} axes over {}", rank, detail::describe(x));
  }
  if (x.dtype() == complex64 || (kind == Kind::mean && !is_floating(x.dtype()))) {
    fail(ErrorCode::unsupported_dtype, kName, "{} has no {}", detail::describe(x),
         kind == Kind::mean ? "mean of its own dtype" : "order");
  }
  constexpr ShapeElem kMost = ShapeElem{1} << 40;  // sums of three of these do not overflow
  Shape out = x.shape();
  for (std::size_t i = 0; i < rank; ++i) {
    if (window[i] <= 0 || stride[i] <= 0 || padding[i] < 0 || padding[i] > kMost) {
      fail(ErrorCode::invalid_argument, kName,
           "kernel {} and stride {} must be positive, padding {} not negative", to_string(window),
           to_string(stride), to_string(padding));
    }
    if (out[i + 1] > kMost || out[i + 1] + 2 * padding[i] < window[i]) {
      fail(ErrorCode::shape_mismatch, kName, "kernel {} does not fit into {} padded by {}",
           to_string(window), detail::describe(x), to_string(padding));
    }
    out[i + 1] = (out[i + 1] + 2 * padding[i] - window[i]) / stride[i] + 1;
  }
  return {out, x.dtype()};
}

// One strided slice per element of the window, combined elementwise.
std::vector<array> Pool::lower(std::span<const array> in) const {
  const bool mean = kind == Kind::mean;
  const array& x = in[0];
  const Dtype dtype = x.dtype();
  const Shape out = infer(in).shape;
  const Dtype inside = mean && is_half(dtype) ? float32 : dtype;
  const array filler =
      mean ? detail::scalar(0, inside, x.backend()) : detail::lowest(inside, x.backend());
  const array wide = padded(*this, astype(x, inside), filler);
  const ShapeElem count = num_elements(window);
  array total = full(out, filler);
  for (ShapeElem element = 0; element < count; ++element) {
    Shape start(x.ndim(), 0);
    Shape stop = out;
    Shape step(x.ndim(), 1);
    ShapeElem rest = element;
    for (std::size_t i = window.size(); i-- > 0;) {
      start[i + 1] = rest % window[i];
      step[i + 1] = stride[i];
      stop[i + 1] = start[i + 1] + (out[i + 1] - 1) * stride[i] + 1;
      rest /= window[i];
    }
    const array seen = slice(wide, std::move(start), std::move(stop), std::move(step));
    total = mean ? total + seen : maximum(total, seen);
  }
  if (mean) total = total / static_cast<double>(count);
  return {astype(total, dtype)};
}

array mean_pool(const array& x, const array& mask) {
  if (mask.dtype() != bool_ && !is_integer(mask.dtype())) {
    fail(ErrorCode::unsupported_dtype, "mean_pool", "the mask must be bool or integers, got {}",
         detail::describe(mask));
  }
  return apply(MeanPool{}, {x, astype(mask, bool_)});
}

#define TESSERA_POOLING(name, kind, rank)                                        \
  array name(const array& x, const Shape& kernel_size, const Shape& stride,      \
             const Shape& padding) {                                             \
    return pool(Pool::Kind::kind, #name, rank, x, kernel_size, stride, padding); \
  }                                                                              \
  array name(const array& x, const Shape& kernel_size) {                         \
    return name(x, kernel_size, kernel_size, Shape{0});                          \
  }                                                                              \
  array name(const array& x, int kernel_size, int stride, int padding) {         \
    return name(x, Shape{kernel_size}, Shape{stride}, Shape{padding});           \
  }                                                                              \
  array name(const array& x, int kernel_size) {                                  \
    return name(x, kernel_size, kernel_size, 0);                                 \
  }
TESSERA_POOLING(max_pool1d, max, 1)
TESSERA_POOLING(max_pool2d, max, 2)
TESSERA_POOLING(max_pool3d, max, 3)
TESSERA_POOLING(avg_pool1d, mean, 1)
TESSERA_POOLING(avg_pool2d, mean, 2)
TESSERA_POOLING(avg_pool3d, mean, 3)
#undef TESSERA_POOLING

}  // namespace tessera

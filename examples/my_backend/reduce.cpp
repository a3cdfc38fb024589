// Reductions: each element is folded into the result of the kept axes it belongs to.
#include <tessera/ops/reduce.h>

#include <algorithm>
#include <cmath>

#include "tensor.h"

namespace my_backend {

namespace {

// Where each element of `shape` goes when `axes` are reduced: strides of the results, 0 along
// `axes`.
Strides result_strides(const Shape& shape, const InlineVector<int, 6>& axes) {
  Shape kept = shape;
  for (const int axis : axes) kept[axis] = 1;
  Strides strides = row_major_strides(kept);
  for (const int axis : axes) strides[axis] = 0;
  return strides;
}

template <class T>
bool is_nan(T x) {
  return x != x;
}
template <class T>
bool before(T a, T b) {
  if constexpr (is_complex<T>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}

// Half types and floats add up in double, narrow integers in unsigned 32 bits, where they wrap.
template <class T>
using Sum32 = std::conditional_t<
    is_complex<T>, std::complex<double>,
    std::conditional_t<is_half<T> || std::is_floating_point_v<T>, double,
                       std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>>;

template <class T>
Sum32<T> widen(T x) {
  if constexpr (is_half<T>)
    return static_cast<float>(x);
  else
    return static_cast<Sum32<T>>(x);
}

template <class Op, bool product>
TensorPtr accumulate(const Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  dispatch(in[0]->dtype(), [&]<class T>() {
    std::vector<Sum32<T>> results(y->size(), product ? 1 : 0);
    const T* x = dense(in[0]).data<T>();
    walk(in[0]->shape(), 0, result_strides(in[0]->shape(), op.axes),
         [&](std::int64_t i, std::int64_t at) {
           if constexpr (product)
             results[at] *= widen(x[i]);
           else
             results[at] += widen(x[i]);
         });
    dispatch(out.dtype, [&]<class Out>() {
      for (std::int64_t i = 0; i < y->size(); ++i) {
        if constexpr (is_complex<T> == is_complex<Out>) {
          y->template data<Out>()[i] = static_cast<Out>(results[i]);
        }
      }
    });
  });
  return y;
}

// The rule has refused empty axes, so each result meets an element that starts it; the first NaN
// stays.
TensorPtr do_max(const Context& ctx, const Max& op, Inputs in, const TensorSpec& out) {
  const DensePtr y = ctx.make(out);
  dispatch(out.dtype, [&]<class T>() {
    const T* x = dense(in[0]).data<T>();
    T* best = y->template data<T>();
    std::vector<bool> begun(y->size());
    walk(in[0]->shape(), 0, result_strides(in[0]->shape(), op.axes),
         [&](std::int64_t i, std::int64_t at) {
           const auto old = static_cast<Compute<T>>(best[at]), next = static_cast<Compute<T>>(x[i]);
           if (!begun[at] || (!is_nan(old) && (is_nan(next) || before(old, next)))) best[at] = x[i];
           begun[at] = true;
         });
  });
  return y;
}

}  // namespace

void add_reductions(Kernels& kernels) {
  add<Sum, accumulate<Sum, false>>(kernels);
  add<Prod, accumulate<Prod, true>>(kernels);
  add<Max, do_max>(kernels);
}

}  // namespace my_backend

// Reductions: the kept axes are rows, the reduced ones are walked inside.
#include <cmath>
#include <limits>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/backends/cpu/strided.h"
#include "tessera/ops/reduce.h"

namespace tessera::cpu {

namespace {

// The input's axes parted into kept and reduced, each with its strides.
struct Parts {
  Shape kept, reduced;
  Strides kept_strides, reduced_strides;

  Parts(const CpuTensor& x, const InlineVector<int, 6>& axes) {
    for (std::size_t i = 0; i < x.shape().size(); ++i) {
      const bool r = std::find(axes.begin(), axes.end(), int(i)) != axes.end();
      (r ? reduced : kept).push_back(x.shape()[i]);
      (r ? reduced_strides : kept_strides).push_back(x.strides()[i]);
    }
  }
};

// Calls row(pointer to the first reduced element, output index) for every kept position.
template <class Row>
void for_each_kept(Context& ctx, const Parts& parts, Row row) {
  const std::int64_t rows = num_elements(parts.kept);
  const std::int64_t length = std::max<std::int64_t>(1, num_elements(parts.reduced));
  ctx.pool.parallel_for(rows, 1 + 16384 / length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      std::int64_t offset = 0;
      std::int64_t rest = r;
      for (std::size_t axis = parts.kept.size(); axis-- > 0;) {
        offset += rest % parts.kept[axis] * parts.kept_strides[axis];
        rest /= parts.kept[axis];
      }
      row(offset, r);
    }
  });
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return x != x;
  else return false;
}
template <class T>
bool before(T a, T b) {
  if constexpr (is_complex<T>) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  } else {
    return a < b;
  }
}

struct SumFn {
  template <class T> static T start() { return T(0); }
  template <class T> static T step(T acc, T x) { return static_cast<T>(acc + x); }
};
struct ProdFn {
  template <class T> static T start() { return T(1); }
  template <class T> static T step(T acc, T x) { return static_cast<T>(acc * x); }
};
// Max and min start from the first element: their rule has refused empty axes.
struct MaxFn {
  template <class T> static T step(T acc, T x) { return is_nan(x) || before(acc, x) ? x : acc; }
};
struct MinFn {
  template <class T> static T step(T acc, T x) { return is_nan(x) || before(x, acc) ? x : acc; }
};
struct AllFn {
  template <class T> static bool start() { return true; }
  template <class T> static bool step(bool acc, T x) { return acc && x != T(0); }
};
struct AnyFn {
  template <class T> static bool start() { return false; }
  template <class T> static bool step(bool acc, T x) { return acc || x != T(0); }
};

// Along one strided axis. Sums keep eight partial sums: that vectorises, and errs less than one.
template <class Fn, class T, class Acc>
Acc fold_axis(const T* x, std::int64_t count, std::int64_t stride, Acc acc) {
  std::int64_t i = 0;
  if constexpr (std::is_same_v<Fn, SumFn> && !std::is_same_v<T, bool>) {
    if (stride == 1 && count >= 16) {
      Acc lanes[8] = {};
      for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 8; ++k) lanes[k] += static_cast<Acc>(static_cast<Compute<T>>(x[i + k]));
      }
      for (int k = 0; k < 8; ++k) acc += lanes[k];
    }
  }
  for (; i < count; ++i) {
    acc = Fn::step(acc, static_cast<Acc>(static_cast<Compute<T>>(x[i * stride])));
  }
  return acc;
}

template <class Fn, class T, class Acc>
Acc fold(const T* x, const Parts& parts, Acc acc, bool skip_first) {
  const std::size_t rank = parts.reduced.size();
  if (rank == 0) return skip_first ? acc : Fn::step(acc, static_cast<Acc>(static_cast<Compute<T>>(*x)));
  const std::int64_t inner = parts.reduced.back();
  const std::int64_t stride = parts.reduced_strides.back();
  const std::int64_t rows = inner == 0 ? 0 : num_elements(parts.reduced) / inner;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t offset = 0;
    std::int64_t rest = r;
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      offset += rest % parts.reduced[axis] * parts.reduced_strides[axis];
      rest /= parts.reduced[axis];
    }
    acc = fold_axis<Fn>(x + offset, inner, stride, acc);
  }
  return acc;
}

template <class Op, class Fn>
TensorPtr accumulate(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes);
  dispatch(out.dtype, [&]<class T>() {
    const T* data = x.data<T>();
    T* result = y->data<T>();
    for_each_kept(ctx, parts, [&](std::int64_t offset, std::int64_t r) {
      using Acc = Compute<T>;
      result[r] = static_cast<T>(fold<Fn>(data + offset, parts, Fn::template start<Acc>(), false));
    });
  });
  return y;
}

template <class Op, class Fn>
TensorPtr extreme(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes);
  dispatch(out.dtype, [&]<class T>() {
    const T* data = x.data<T>();
    T* result = y->data<T>();
    for_each_kept(ctx, parts, [&](std::int64_t offset, std::int64_t r) {
      const auto first = static_cast<Compute<T>>(data[offset]);
      result[r] = static_cast<T>(fold<Fn>(data + offset, parts, first, true));
    });
  });
  return y;
}

template <class Op, class Fn>
TensorPtr logical(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes);
  dispatch(x.dtype(), [&]<class T>() {
    const T* data = x.data<T>();
    const std::int64_t rows = num_elements(parts.reduced);
    for_each_kept(ctx, parts, [&](std::int64_t offset, std::int64_t r) {
      bool acc = Fn::template start<T>();
      for (std::int64_t i = 0; i < rows; ++i) {
        std::int64_t at = offset;
        std::int64_t rest = i;
        for (std::size_t axis = parts.reduced.size(); axis-- > 0;) {
          at += rest % parts.reduced[axis] * parts.reduced_strides[axis];
          rest /= parts.reduced[axis];
        }
        acc = Fn::step(acc, static_cast<Compute<T>>(data[at]));
      }
      y->template data<bool>()[r] = acc;
    });
  });
  return y;
}

TensorPtr mean_kernel(Context& ctx, const Mean& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes);
  const auto count = static_cast<float>(num_elements(parts.reduced));
  dispatch_floating(out.dtype, [&]<class T>() {
    const T* data = x.data<T>();
    for_each_kept(ctx, parts, [&](std::int64_t offset, std::int64_t r) {
      using Acc = Compute<T>;
      y->data<T>()[r] = static_cast<T>(fold<SumFn>(data + offset, parts, Acc(0), false) / Acc(count));
    });
  });
  return y;
}

// better(a, b): a replaces b. The first NaN wins, as in MLX; the lowest index wins ties.
template <class Op, bool kLargest>
TensorPtr arg_extreme(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  InlineVector<int, 6> axes;
  axes.push_back(op.axis);
  const Parts parts(x, axes);
  const std::int64_t count = parts.reduced[0];
  const std::int64_t stride = parts.reduced_strides[0];
  dispatch(x.dtype(), [&]<class T>() {
    for_each_kept(ctx, parts, [&](std::int64_t offset, std::int64_t r) {
      const T* row = x.data<T>() + offset;
      auto best = static_cast<Compute<T>>(row[0]);
      std::int64_t index = 0;
      for (std::int64_t i = 1; i < count && !is_nan(best); ++i) {
        const auto v = static_cast<Compute<T>>(row[i * stride]);
        if (is_nan(v) || (kLargest ? before(best, v) : before(v, best))) {
          best = v;
          index = i;
        }
      }
      y->template data<std::uint32_t>()[r] = static_cast<std::uint32_t>(index);
    });
  });
  return y;
}

}  // namespace

void register_reduce(KernelRegistry& table) {
  table.add<Sum, accumulate<Sum, SumFn>>();
  table.add<Prod, accumulate<Prod, ProdFn>>();
  table.add<Max, extreme<Max, MaxFn>>();
  table.add<Min, extreme<Min, MinFn>>();
  table.add<All, logical<All, AllFn>>();
  table.add<Any, logical<Any, AnyFn>>();
  table.add<Mean, mean_kernel>();
  table.add<ArgMax, arg_extreme<ArgMax, true>>();
  table.add<ArgMin, arg_extreme<ArgMin, false>>();
}

}  // namespace tessera::cpu

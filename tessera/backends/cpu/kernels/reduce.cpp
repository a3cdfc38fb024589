// Reductions: one result per position of the kept axes, the reduced ones walked inside.
#include <algorithm>
#include <limits>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/reduce.h"

namespace tessera::cpu {

namespace {

// Some of a tensor's axes, neighbours merged where their strides allow it.
struct Axes {
  Shape sizes;
  Strides strides;

  void add(ShapeElem size, std::int64_t stride) {
    if (size == 1) return;
    if (!sizes.empty() && strides.back() == stride * size) {
      sizes.back() *= size;
      strides.back() = stride;
    } else {
      sizes.push_back(size);
      strides.push_back(stride);
    }
  }
  std::int64_t count() const { return num_elements(sizes); }
  // Where the index-th position in row-major order lies, counting the first `rank` axes.
  std::int64_t offset(std::int64_t index, std::size_t rank) const {
    std::int64_t at = 0;
    for (std::size_t i = rank; i-- > 0;) {
      at += index % sizes[i] * strides[i];
      index /= sizes[i];
    }
    return at;
  }
};

struct Parts {
  Axes kept, reduced;
  std::int64_t repeats = 1;  // how often a broadcast repeats what `reduced` walks once

  // repeated_once: leave axes of stride 0 to `repeats`.
  Parts(const CpuTensor& x, const InlineVector<int, 6>& axes, bool repeated_once) {
    for (std::size_t i = 0; i < x.shape().size(); ++i) {
      const ShapeElem size = x.shape()[i];
      const std::int64_t stride = x.strides()[i];
      if (std::find(axes.begin(), axes.end(), int(i)) == axes.end()) {
        kept.add(size, stride);
      } else if (repeated_once && stride == 0 && size > 0) {
        repeats *= size;
      } else {
        reduced.add(size, stride);
      }
    }
  }
};

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}
template <class T>
bool before(T a, T b) {
  if constexpr (is_complex<T>) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  } else {
    return a < b;
  }
}

// A fold is its start, its step, and how two partial results meet. Max and min start from an
// element: their rule has refused empty axes.
struct SumFold {
  static constexpr bool kRepeatedOnce = true;
  template <class Acc>
  static Acc start(Acc) {
    return Acc(0);
  }
  template <class Acc>
  static Acc step(Acc acc, Acc x) {
    return acc + x;
  }
};
struct ProdFold {
  static constexpr bool kRepeatedOnce = false;
  template <class Acc>
  static Acc start(Acc) {
    return Acc(1);
  }
  template <class Acc>
  static Acc step(Acc acc, Acc x) {
    return acc * x;
  }
};
struct MaxFold {
  static constexpr bool kRepeatedOnce = true;
  template <class Acc>
  static Acc start(Acc first) {
    return first;
  }
  template <class Acc>
  static Acc step(Acc acc, Acc x) {
    return is_nan(x) || before(acc, x) ? x : acc;
  }
};
struct MinFold {
  static constexpr bool kRepeatedOnce = true;
  template <class Acc>
  static Acc start(Acc first) {
    return first;
  }
  template <class Acc>
  static Acc step(Acc acc, Acc x) {
    return is_nan(x) || before(x, acc) ? x : acc;
  }
};
struct AllFold {
  static constexpr bool kRepeatedOnce = true;
  template <class Acc>
  static Acc start(Acc) {
    return true;
  }
  template <class Acc>
  static Acc step(Acc acc, Acc x) {
    return acc & x;
  }
};
struct AnyFold {
  static constexpr bool kRepeatedOnce = true;
  template <class Acc>
  static Acc start(Acc) {
    return false;
  }
  template <class Acc>
  static Acc step(Acc acc, Acc x) {
    return acc | x;
  }
};

template <class Acc, class T>
Acc load(T x) {
  const auto wide = static_cast<Compute<T>>(x);
  if constexpr (std::is_same_v<Acc, bool>)
    return wide != Compute<T>(0);
  else
    return static_cast<Acc>(wide);
}

// Along one axis. Runs without gaps keep partial results side by side: that vectorises, and a sum
// of block sums errs less than a running one.
template <class Fold, class Acc, class T>
Acc fold_line(const T* x, std::int64_t count, std::int64_t stride, Acc acc) {
  constexpr int kLanes = 16;
  constexpr std::int64_t kBlock = 4096;
  std::int64_t i = 0;
  while (stride == 1 && count - i >= kLanes) {
    const std::int64_t end = std::min(i + kBlock, count - (count - i) % kLanes);
    Acc lanes[kLanes];
    for (int k = 0; k < kLanes; ++k) lanes[k] = load<Acc>(x[i + k]);
    for (i += kLanes; i < end; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) lanes[k] = Fold::step(lanes[k], load<Acc>(x[i + k]));
    }
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lanes[k] = Fold::step(lanes[k], lanes[k + half]);
    }
    acc = Fold::step(acc, lanes[0]);
  }
  for (; i < count; ++i) acc = Fold::step(acc, load<Acc>(x[i * stride]));
  return acc;
}

template <class Fold, class Acc, class T>
Acc fold_all(const T* x, const Axes& axes) {
  const std::int64_t count = axes.count();
  if (count == 0) return Fold::start(Acc{});
  Acc acc = Fold::start(load<Acc>(*x));
  if (axes.sizes.empty()) return Fold::step(acc, load<Acc>(*x));
  const std::int64_t inner = axes.sizes.back();
  const std::size_t outer = axes.sizes.size() - 1;
  for (std::int64_t r = 0; r < count / inner; ++r) {
    acc = fold_line<Fold>(x + axes.offset(r, outer), inner, axes.strides.back(), acc);
  }
  return acc;
}

// `width` neighbouring results at once, for reductions over axes outside the contiguous one: each
// pass reads a run of memory instead of one element in every row.
template <class Fold, class Acc, class T>
void fold_columns(const T* x, const Axes& axes, Acc* acc, std::int64_t width) {
  for (std::int64_t k = 0; k < width; ++k) acc[k] = Fold::start(load<Acc>(x[k]));
  const std::int64_t count = axes.count();
  for (std::int64_t r = 0; r < count; ++r) {
    const T* row = x + axes.offset(r, axes.sizes.size());
    for (std::int64_t k = 0; k < width; ++k) acc[k] = Fold::step(acc[k], load<Acc>(row[k]));
  }
}

constexpr std::int64_t kGrain = 16384;  // elements that are worth handing to another thread

// finish(acc) makes the output element of a fold's result.
template <class Fold, class Acc, class T, class Out, class Finish>
void reduce(Context& ctx, const T* x, const Parts& parts, Out* y, Finish finish) {
  const Axes& kept = parts.kept;
  const Axes& reduced = parts.reduced;
  const std::int64_t length = std::max<std::int64_t>(1, reduced.count());
  const std::int64_t results = kept.count();
  constexpr std::int64_t kColumns = 64;
  const bool by_columns = !kept.sizes.empty() && kept.strides.back() == 1 && results > 0 &&
                          kept.sizes.back() >= 4 && reduced.count() > 0 && !reduced.sizes.empty() &&
                          reduced.strides.back() != 1;
  if (by_columns) {
    const std::int64_t width = kept.sizes.back();
    const std::int64_t tiles = (width + kColumns - 1) / kColumns;
    const std::size_t outer = kept.sizes.size() - 1;
    ctx.pool.parallel_for(
        results / width * tiles, 1 + kGrain / (length * std::min(width, kColumns)),
        [&](std::int64_t begin, std::int64_t end) {
          Acc acc[kColumns];
          for (std::int64_t t = begin; t < end; ++t) {
            const std::int64_t row = t / tiles;
            const std::int64_t column = t % tiles * kColumns;
            const std::int64_t n = std::min(kColumns, width - column);
            fold_columns<Fold>(x + kept.offset(row, outer) + column, reduced, acc, n);
            for (std::int64_t k = 0; k < n; ++k) y[row * width + column + k] = finish(acc[k]);
          }
        });
    return;
  }
  ctx.pool.parallel_for(results, 1 + kGrain / length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      y[r] = finish(fold_all<Fold, Acc>(x + kept.offset(r, kept.sizes.size()), reduced));
    }
  });
}

// Sums and products: of narrow integers and bool in 32 bits, of half types in float.
template <class Op, class Fold>
TensorPtr accumulate(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes, Fold::kRepeatedOnce);
  dispatch(x.dtype(), [&]<class T>() {
    using Acc = Wrapping<Compute<T>>;
    using Out =
        std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4),
                           std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>,
                                              std::int32_t, std::uint32_t>,
                           T>;
    const Acc repeats = static_cast<Acc>(parts.repeats);
    reduce<Fold, Acc>(ctx, x.data<T>(), parts, y->template data<Out>(), [&](Acc acc) {
      return static_cast<Out>(parts.repeats == 1 ? acc : static_cast<Acc>(acc * repeats));
    });
  });
  return y;
}

template <class Op, class Fold>
TensorPtr extreme(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes, Fold::kRepeatedOnce);
  dispatch(out.dtype, [&]<class T>() {
    using Acc = Compute<T>;
    reduce<Fold, Acc>(ctx, x.data<T>(), parts, y->template data<T>(),
                      [](Acc acc) { return static_cast<T>(acc); });
  });
  return y;
}

template <class Op, class Fold>
TensorPtr logical(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes, Fold::kRepeatedOnce);
  dispatch(x.dtype(), [&]<class T>() {
    reduce<Fold, bool>(ctx, x.data<T>(), parts, y->template data<bool>(),
                       [](bool acc) { return acc; });
  });
  return y;
}

TensorPtr mean_kernel(Context& ctx, const Mean& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, op.axes, true);
  dispatch_floating(out.dtype, [&]<class T>() {
    using Acc = Compute<T>;
    const Acc count = static_cast<Acc>(parts.reduced.count());
    reduce<SumFold, Acc>(ctx, x.data<T>(), parts, y->template data<T>(),
                         [&](Acc acc) { return static_cast<T>(acc / count); });
  });
  return y;
}

// The first index of the extreme; the first NaN if there is one, as in MLX.
template <class Op, class Fold>
TensorPtr arg_extreme(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  const CpuTensor& x = as_cpu(in[0]);
  CpuTensorPtr y = ctx.make(out);
  const Parts parts(x, {op.axis}, false);
  const std::int64_t count = x.shape()[op.axis];
  const std::int64_t stride = x.strides()[op.axis];
  dispatch(x.dtype(), [&]<class T>() {
    using Acc = Compute<T>;
    const std::int64_t rows = parts.kept.count();
    ctx.pool.parallel_for(rows, 1 + kGrain / count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const T* row = x.data<T>() + parts.kept.offset(r, parts.kept.sizes.size());
        const Acc best = fold_line<Fold>(row, count, stride, load<Acc>(*row));
        std::int64_t i = 0;
        if (is_nan(best)) {
          while (!is_nan(load<Acc>(row[i * stride]))) ++i;
        } else {
          while (load<Acc>(row[i * stride]) != best) ++i;
        }
        y->template data<std::uint32_t>()[r] = static_cast<std::uint32_t>(i);
      }
    });
  });
  return y;
}

}  // namespace

void register_reduce(KernelRegistry& table) {
  table.add<Sum, accumulate<Sum, SumFold>>();
  table.add<Prod, accumulate<Prod, ProdFold>>();
  table.add<Max, extreme<Max, MaxFold>>();
  table.add<Min, extreme<Min, MinFold>>();
  table.add<All, logical<All, AllFold>>();
  table.add<Any, logical<Any, AnyFold>>();
  table.add<Mean, mean_kernel>();
  table.add<ArgMax, arg_extreme<ArgMax, MaxFold>>();
  table.add<ArgMin, arg_extreme<ArgMin, MinFold>>();
}

}  // namespace tessera::cpu

// Scatter: every index is checked before the first write; updates of one element apply in order.
#include <algorithm>

#include "tessera/backends/cpu/indices.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/scatter.h"

namespace tessera::cpu {

namespace {

struct Assign {
  template <class T>
  static T combine(T, T update) {
    return update;
  }
};
struct AddTo {
  template <class T>
  static T combine(T old, T update) {
    using W = Wrapping<T>;
    return static_cast<T>(static_cast<W>(old) + static_cast<W>(update));
  }
};
struct MultiplyBy {
  template <class T>
  static T combine(T old, T update) {
    using W = Wrapping<T>;
    return static_cast<T>(static_cast<W>(old) * static_cast<W>(update));
  }
};
struct Largest {
  template <class T>
  static T combine(T old, T update) {
    const Compute<T> a = old, b = update;
    return a != a || b < a ? old : update;
  }
};
struct Smallest {
  template <class T>
  static T combine(T old, T update) {
    const Compute<T> a = old, b = update;
    return a != a || a < b ? old : update;
  }
};

// Calls fn.template operator()<T, How>() for a dtype and a way to combine; the ops' rules have
// refused an order of complex numbers.
template <class Fn>
void dispatch_reduce(Dtype dtype, ScatterReduce reduce, Fn&& fn) {
  dispatch(dtype, [&]<class T>() {
    switch (reduce) {
      case ScatterReduce::none: return fn.template operator()<T, Assign>();
      case ScatterReduce::sum: return fn.template operator()<T, AddTo>();
      case ScatterReduce::prod: return fn.template operator()<T, MultiplyBy>();
      case ScatterReduce::max:
        if constexpr (!is_complex<T>) return fn.template operator()<T, Largest>();
        break;
      case ScatterReduce::min:
        if constexpr (!is_complex<T>) return fn.template operator()<T, Smallest>();
        break;
    }
  });
}

// Slices of `update` combined into `y` at `starts`. Columns: whether the same place of two slices
// is the only way they meet, so that places may go to different threads.
template <class How, class T>
void scatter_slices(ThreadPool& pool, T* y, const T* update,
                    const std::vector<std::int64_t>& starts, const SliceRuns& runs, bool columns) {
  const std::int64_t size = runs.size();
  const std::int64_t slices = starts.size();
  const std::int64_t grain = columns ? std::max<std::int64_t>(64, 65536 / slices) : size;
  pool.parallel_for(size, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = 0; m < slices; ++m) {
      for (std::int64_t at = begin; at < end;) {
        const std::int64_t run = at / runs.length;
        const std::int64_t in_run = at % runs.length;
        const std::int64_t n = std::min(runs.length - in_run, end - at);
        T* to = y + starts[m] + runs.starts[run] + in_run;
        const T* from = update + m * size + at;
        for (std::int64_t i = 0; i < n; ++i) to[i] = How::combine(to[i], from[i]);
        at += n;
      }
    }
  });
}

// [outer, count, inner] of updates into [outer, size, inner] along the middle axis.
template <class How, class T>
void scatter_lines(ThreadPool& pool, T* y, const T* update, const std::vector<std::int64_t>& index,
                   std::int64_t outer, std::int64_t count, std::int64_t size, std::int64_t inner) {
  constexpr std::int64_t kStrip = 64;
  const std::int64_t strips = (inner + kStrip - 1) / kStrip;
  const std::int64_t strip_size = count * std::min(inner, kStrip);
  pool.parallel_for(outer * strips, 1 + 16384 / strip_size,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t s = begin; s < end; ++s) {
                        const std::int64_t plane = s / strips;
                        const std::int64_t first = s % strips * kStrip;
                        const std::int64_t last = std::min(first + kStrip, inner);
                        T* to = y + plane * size * inner;
                        for (std::int64_t k = 0; k < count; ++k) {
                          const std::int64_t row = (plane * count + k) * inner;
                          for (std::int64_t i = first; i < last; ++i) {
                            T& target = to[index[row + i] * inner + i];
                            target = How::combine(target, update[row + i]);
                          }
                        }
                      }
                    });
}

// The result's start (a copy of in[0], or in[0] itself) and the updates, both without gaps and in
// the dtype they are combined in; run() combines; the result is narrowed again if it was widened.
template <class Run>
TensorPtr combined(Context& ctx, ScatterReduce reduce, Inputs in, const TensorSpec& out, Run run) {
  const bool half = is_floating(out.dtype) && out.dtype.size() < 4;
  const bool widen = half && (reduce == ScatterReduce::sum || reduce == ScatterReduce::prod);
  if (widen) {
    const CpuTensorPtr wide = ctx.to_float32(in[0]);
    run(*wide, *ctx.to_float32(in[1]));
    CpuTensorPtr y = ctx.make(out);
    copy_elements(ctx, *wide, *y);
    return y;
  }
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  if (y != in[0]) copy_elements(ctx, as_cpu(in[0]), *y);
  run(*y, *ctx.contiguous(in[1]));
  return y;
}

TensorPtr scatter_kernel(Context& ctx, const Scatter& op, Inputs in, const TensorSpec& out) {
  const Shape& given = in[1]->shape();
  const Shape slice_sizes(given.end() - out.shape.size(), given.end());
  const std::vector<std::int64_t> starts =
      slice_starts(ctx, Scatter::kName, out.shape, in.subspan(2), op.axes, slice_sizes);
  const SliceRuns runs(out.shape, slice_sizes);
  if (starts.empty() || runs.size() == 0) return in[0];
  bool columns = true;
  for (int axis : op.axes) columns = columns && slice_sizes[axis] == 1;
  return combined(ctx, op.reduce, in, out, [&](CpuTensor& y, const CpuTensor& updates) {
    dispatch_reduce(y.dtype(), op.reduce, [&]<class T, class How>() {
      scatter_slices<How>(ctx.pool, y.data<T>(), updates.data<T>(), starts, runs, columns);
    });
  });
}

TensorPtr scatter_axis_kernel(Context& ctx, const ScatterAxis& op, Inputs in,
                              const TensorSpec& out) {
  const std::int64_t size = out.shape[op.axis];
  const std::vector<std::int64_t> index = read_indices(ctx, ScatterAxis::kName, in[2], size);
  if (index.empty()) return in[0];
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < op.axis; ++i) outer *= out.shape[i];
  for (std::size_t i = op.axis + 1; i < out.shape.size(); ++i) inner *= out.shape[i];
  const std::int64_t count = in[2]->shape()[op.axis];
  return combined(ctx, op.reduce, in, out, [&](CpuTensor& y, const CpuTensor& values) {
    dispatch_reduce(y.dtype(), op.reduce, [&]<class T, class How>() {
      scatter_lines<How>(ctx.pool, y.data<T>(), values.data<T>(), index, outer, count, size, inner);
    });
  });
}

}  // namespace

void register_scatter(KernelRegistry& table) {
  table.add<Scatter, scatter_kernel>();
  table.add<ScatterAxis, scatter_axis_kernel>();
}

}  // namespace tessera::cpu

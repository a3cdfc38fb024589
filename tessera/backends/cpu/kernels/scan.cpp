// Running totals. A scan along the innermost axis walks one line at a time; along another axis it
// walks a strip of neighbouring lines together, so that memory is read in runs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/backends/cpu/kernel.h"
#include "tessera/ops/scan.h"

namespace tessera::cpu {

namespace {

// A total starts at State(), takes elements by add() and gives its value by value().
template <class T>
struct SumTotal {
  Wrapping<Compute<T>> sum{0};
  void add(Compute<T> x) { sum = sum + static_cast<Wrapping<Compute<T>>>(x); }
  Compute<T> value() const { return static_cast<Compute<T>>(sum); }
};

template <class T>
struct ProdTotal {
  Wrapping<Compute<T>> product{1};
  void add(Compute<T> x) { product = product * static_cast<Wrapping<Compute<T>>>(x); }
  Compute<T> value() const { return static_cast<Compute<T>>(product); }
};

template <class T>
struct MaxTotal {
  using Limits = std::numeric_limits<Compute<T>>;
  Compute<T> most = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  void add(Compute<T> x) { most = most != most || x < most ? most : x; }
  Compute<T> value() const { return most; }
};
template <class T>
struct MinTotal {
  using Limits = std::numeric_limits<Compute<T>>;
  Compute<T> least = Limits::has_infinity ? Limits::infinity() : Limits::max();
  void add(Compute<T> x) { least = least != least || x > least ? least : x; }
  Compute<T> value() const { return least; }
};

// exp(most) * sum, in double so that long sums of float32 lose nothing.
template <class T>
struct LogSumExpTotal {
  double most = -std::numeric_limits<double>::infinity();
  double sum = 0;
  void add(Compute<T> x) {
    if (x == most) {  // also two equal infinities
      sum += 1;
    } else if (x < most) {
      sum += std::exp(x - most);
    } else {  // NaN comes here and stays
      sum = sum * std::exp(most - x) + 1;
      most = x;
    }
  }
  Compute<T> value() const { return static_cast<Compute<T>>(most + std::log(sum)); }
};

// kWidth lines side by side, `step` elements from one position along them to the next (negative
// when reversed).
template <class Total, int kWidth, class T>
void scan_strip(const T* x, T* y, std::int64_t count, std::int64_t step, int width,
                bool inclusive) {
  Total totals[kWidth];
  const int lines = kWidth == 1 ? 1 : width;
  for (std::int64_t i = 0; i < count; ++i, x += step, y += step) {
    for (int k = 0; k < lines; ++k) {
      const auto element = static_cast<Compute<T>>(x[k]);  // y may be x
      if (!inclusive) y[k] = static_cast<T>(totals[k].value());
      totals[k].add(element);
      if (inclusive) y[k] = static_cast<T>(totals[k].value());
    }
  }
}

template <class T, class Total>
void scan(Context& ctx, const ScanAxis& op, const CpuTensor& x, CpuTensor& y) {
  constexpr int kStrip = 64;
  constexpr std::int64_t kGrain = 16384;
  const Shape& shape = y.shape();
  const std::int64_t count = shape[op.axis];
  std::int64_t inner = 1;
  for (std::size_t i = op.axis + 1; i < shape.size(); ++i) inner *= shape[i];
  const std::int64_t strips = (inner + kStrip - 1) / kStrip;
  const std::int64_t outer = y.size() / (count * inner);
  const std::int64_t last = op.reverse ? (count - 1) * inner : 0;
  const std::int64_t step = op.reverse ? -inner : inner;
  const std::int64_t strip_size = count * std::min<std::int64_t>(inner, kStrip);
  ctx.pool.parallel_for(
      outer * strips, 1 + kGrain / strip_size, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) {
          const std::int64_t column = s % strips * kStrip;
          const std::int64_t at = s / strips * count * inner + last + column;
          const int width = static_cast<int>(std::min<std::int64_t>(kStrip, inner - column));
          const T* from = x.data<T>() + at;
          T* to = y.data<T>() + at;
          if (inner == 1) {
            scan_strip<Total, 1>(from, to, count, step, 1, op.inclusive);
          } else {
            scan_strip<Total, kStrip>(from, to, count, step, width, op.inclusive);
          }
        }
      });
}

// The rules of the last three ops have refused complex numbers.
template <class Op, template <class> class Total, bool kComplex>
TensorPtr scan_kernel(Context& ctx, const Op& op, Inputs in, const TensorSpec& out) {
  CpuTensorPtr y = ctx.reuse_or_make(in, 0, out);
  const CpuTensorPtr x = ctx.contiguous(in[0]);
  if (y->size() == 0) return y;
  dispatch(out.dtype, [&]<class T>() {
    if constexpr (kComplex || !is_complex<T>) scan<T, Total<T>>(ctx, op, *x, *y);
  });
  return y;
}

}  // namespace

void register_scan(KernelRegistry& table) {
  table.add<CumSum, scan_kernel<CumSum, SumTotal, true>>();
  table.add<CumProd, scan_kernel<CumProd, ProdTotal, true>>();
  table.add<CumMax, scan_kernel<CumMax, MaxTotal, false>>();
  table.add<CumMin, scan_kernel<CumMin, MinTotal, false>>();
  table.add<LogCumSumExp, scan_kernel<LogCumSumExp, LogSumExpTotal, false>>();
}

}  // namespace tessera::cpu

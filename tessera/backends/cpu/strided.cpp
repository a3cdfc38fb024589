#include "tessera/backends/cpu/strided.h"

#include <algorithm>

namespace tessera::cpu {

template <std::size_t N>
void LoopPlan<N>::run(ThreadPool& pool, Row row) const {
  const ShapeElem inner = shape.back();
  const std::int64_t total = num_elements(shape);
  if (total == 0) return;
  Offsets step;
  for (std::size_t k = 0; k < N; ++k) step[k] = strides[k].back();
  constexpr std::int64_t kGrain = 16384;
  if (shape.size() == 1) {
    pool.parallel_for(inner, kGrain, [&](std::int64_t begin, std::int64_t end) {
      Offsets offset;
      for (std::size_t k = 0; k < N; ++k) offset[k] = begin * step[k];
      row(offset, step, end - begin);
    });
    return;
  }
  const std::int64_t rows = total / inner;
  pool.parallel_for(rows, std::max<std::int64_t>(1, kGrain / inner),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t r = begin; r < end; ++r) row(offsets_of(r), step, inner);
                    });
}

template struct LoopPlan<2>;
template struct LoopPlan<3>;
template struct LoopPlan<4>;

}  // namespace tessera::cpu

#include "tessera/ops/unique.h"

#include "tessera/ops/axes.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/filled.h"
#include "tessera/ops/index.h"
#include "tessera/ops/internal/checks.h"
#include "tessera/ops/internal/positions.h"
#include "tessera/ops/scan.h"
#include "tessera/ops/scatter.h"
#include "tessera/ops/shape.h"
#include "tessera/ops/sort.h"
#include "tessera/ops/unary.h"

namespace tessera {

namespace {

std::vector<array> unique_of_nothing(const array& a, int size, bool index, bool inverse,
                                     bool counts, const std::optional<array>& fill_value) {
  if (size > 0 && !fill_value) {
    fail(ErrorCode::invalid_argument, "unique", "{} has nothing to fill {} places with",
         detail::describe(a), size);
  }
  const array zero = detail::scalar(0, uint32, a.backend());
  std::vector<array> out = {full({size}, fill_value ? astype(*fill_value, a.dtype())
                                                    : detail::scalar(0, a.dtype(), a.backend()))};
  if (index) out.push_back(full({size}, zero));
  if (inverse) out.push_back(full(a.shape(), zero));
  if (counts) out.push_back(full({size}, astype(zero, int32)));
  return out;
}

}  // namespace

std::vector<array> unique(const array& a, int size, bool return_index, bool return_inverse,
                          bool return_counts, const std::optional<array>& fill_value) {
  if (size < 0) fail(ErrorCode::invalid_argument, "unique", "size is {}, below 0", size);
  if (a.size() == 0) {
    return unique_of_nothing(a, size, return_index, return_inverse, return_counts, fill_value);
  }
  const array flat = flatten(a);
  const ShapeElem n = flat.size();
  const array order = argsort(flat);
  const array sorted = take(flat, order);
  // The place of each sorted element among the distinct ones.
  const array steps = slice(sorted, {1}, {n}) != slice(sorted, {0}, {n - 1});
  const array place =
      concatenate({detail::count_up(1, a.backend()), cumsum(steps, 0, false, true, int64)});
  const array wanted = detail::count_up(size, a.backend());
  const array first = searchsorted(place, wanted), after = searchsorted(place, wanted, "right");
  const array found = after > first;
  const array from = where(found, first, detail::scalar(0, uint32, a.backend()));
  const array values = take(sorted, from);
  std::vector<array> out = {fill_value ? where(found, values, astype(*fill_value, a.dtype()))
                                       : values};
  if (return_index) out.push_back(take(order, from));
  if (return_inverse) {
    const array clamped =
        minimum(place, detail::scalar(size > 0 ? size - 1 : 0, int64, a.backend()));
    const array zeros = full({n}, detail::scalar(0, uint32, a.backend()));
    out.push_back(reshape(put_along_axis(zeros, order, clamped, 0), a.shape()));
  }
  if (return_counts) out.push_back(astype(after - first, int32));
  return out;
}

}  // namespace tessera

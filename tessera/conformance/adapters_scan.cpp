// Running totals.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

array input_of(const GoldenCase& c) {
  return c.attrs.value("transpose", false) ? transpose(c.input(0)) : c.input(0);
}

using ScanAll = array (*)(const array&, bool, bool);
using ScanAxis = array (*)(const array&, int, bool, bool);

Adapter scan(ScanAll all, ScanAxis along) {
  return [=](const GoldenCase& c) {
    const bool reverse = c.attrs["reverse"];
    const bool inclusive = c.attrs["inclusive"];
    if (c.attrs["axis"].is_null()) return all(input_of(c), reverse, inclusive);
    return along(input_of(c), c.attrs["axis"], reverse, inclusive);
  };
}

using CastScanAll = array (*)(const array&, bool, bool, std::optional<Dtype>);
using CastScanAxis = array (*)(const array&, int, bool, bool, std::optional<Dtype>);

Adapter cast_scan(CastScanAll all, CastScanAxis along) {
  return [=](const GoldenCase& c) {
    const bool reverse = c.attrs["reverse"];
    const bool inclusive = c.attrs["inclusive"];
    std::optional<Dtype> dtype;
    if (c.attrs.contains("dtype")) dtype = dtype_named(c.attrs["dtype"]);
    if (c.attrs["axis"].is_null()) return all(input_of(c), reverse, inclusive, dtype);
    return along(input_of(c), c.attrs["axis"], reverse, inclusive, dtype);
  };
}

}  // namespace

void add_scan(Adapters& table) {
  table.insert({
      {"cumsum", cast_scan(cumsum, cumsum)},
      {"cumprod", cast_scan(cumprod, cumprod)},
      {"cummax", scan(cummax, cummax)},
      {"cummin", scan(cummin, cummin)},
      {"logcumsumexp", scan(logcumsumexp, logcumsumexp)},
  });
}

}  // namespace tessera::conformance

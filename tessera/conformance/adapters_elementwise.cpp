// Elementwise functions beyond the core set.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

Adapter binary(array (*fn)(const array&, const array&)) {
  return [fn](const GoldenCase& c) { return fn(c.input(0), c.input(1)); };
}

Adapter closeness(array (*fn)(const array&, const array&, double, double, bool)) {
  return [fn](const GoldenCase& c) {
    return fn(c.input(0), c.input(1), c.attrs.value("rtol", 1e-5), c.attrs.value("atol", 1e-8),
              c.attrs.value("equal_nan", false));
  };
}

array call_nan_to_num(const GoldenCase& c) {
  if (!c.attrs.contains("nan")) return nan_to_num(c.input(0));
  return nan_to_num(c.input(0), c.attrs["nan"], c.attrs["posinf"].get<float>(),
                    c.attrs["neginf"].get<float>());
}

}  // namespace

void add_elementwise(Adapters& table) {
  table.insert({
      {"tan", unary(tan)},
      {"arcsin", unary(arcsin)},
      {"arccos", unary(arccos)},
      {"arctan", unary(arctan)},
      {"sinh", unary(sinh)},
      {"cosh", unary(cosh)},
      {"arcsinh", unary(arcsinh)},
      {"arccosh", unary(arccosh)},
      {"arctanh", unary(arctanh)},
      {"degrees", unary(degrees)},
      {"radians", unary(radians)},
      {"expm1", unary(expm1)},
      {"log2", unary(log2)},
      {"log10", unary(log10)},
      {"sign", unary(sign)},
      {"round", [](const GoldenCase& c) { return round(c.input(0), c.attrs["decimals"]); }},
      {"nan_to_num", call_nan_to_num},
      {"floor_divide", binary(floor_divide)},
      {"remainder", binary(remainder)},
      {"divmod", [](const GoldenCase& c) { return divmod(c.input(0), c.input(1)); }},
      {"arctan2", binary(arctan2)},
      {"logaddexp", binary(logaddexp)},
      {"clip",
       [](const GoldenCase& c) {
         return clip(c.input(0), c.optional_input(1), c.optional_input(2));
       }},
      {"isnan", unary(isnan)},
      {"isinf", unary(isinf)},
      {"isfinite", unary(isfinite)},
      {"isposinf", unary(isposinf)},
      {"isneginf", unary(isneginf)},
      {"isclose", closeness(isclose)},
      {"allclose", closeness(allclose)},
      {"array_equal",
       [](const GoldenCase& c) {
         return array_equal(c.input(0), c.input(1), c.attrs.value("equal_nan", false));
       }},
  });
}

}  // namespace tessera::conformance

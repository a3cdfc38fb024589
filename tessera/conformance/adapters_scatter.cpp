// Gather and scatter. A case's index arrays come after what they index and the updates.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

std::vector<array> inputs_from(const GoldenCase& c, std::size_t first) {
  std::vector<array> out;
  for (std::size_t i = first; i < c.inputs.size(); ++i) out.push_back(c.input(i));
  return out;
}

array call_gather(const GoldenCase& c) {
  return gather(c.input(0), inputs_from(c, 1), c.attrs["axes"].get<std::vector<int>>(),
                shape_of(c.attrs["slice_sizes"]));
}

using ScatterAxes = array (*)(const array&, const std::vector<array>&, const array&,
                              const std::vector<int>&);

Adapter scatter_with(ScatterAxes fn) {
  return [fn](const GoldenCase& c) {
    return fn(c.input(0), inputs_from(c, 2), c.input(1), c.attrs["axes"].get<std::vector<int>>());
  };
}

using AlongAxis = array (*)(const array&, const array&, const array&, int);

Adapter along_axis(AlongAxis fn) {
  return
      [fn](const GoldenCase& c) { return fn(c.input(0), c.input(1), c.input(2), c.attrs["axis"]); };
}

using SliceUpdateFn = array (*)(const array&, const array&, Shape, Shape, Shape);

Adapter slice_update_with(SliceUpdateFn fn) {
  return [fn](const GoldenCase& c) {
    return fn(c.input(0), c.input(1), shape_of(c.attrs["start"]), shape_of(c.attrs["stop"]),
              shape_of(c.attrs["strides"]));
  };
}

}  // namespace

void add_scatter(Adapters& table) {
  table.insert({
      {"gather", call_gather},
      {"scatter", scatter_with(scatter)},
      {"scatter_add", scatter_with(scatter_add)},
      {"scatter_prod", scatter_with(scatter_prod)},
      {"scatter_max", scatter_with(scatter_max)},
      {"scatter_min", scatter_with(scatter_min)},
      {"put_along_axis", along_axis(put_along_axis)},
      {"scatter_add_axis", along_axis(scatter_add_axis)},
      {"slice_update_add", slice_update_with(slice_update_add)},
      {"slice_update_prod", slice_update_with(slice_update_prod)},
      {"slice_update_max", slice_update_with(slice_update_max)},
      {"slice_update_min", slice_update_with(slice_update_min)},
  });
}

}  // namespace tessera::conformance

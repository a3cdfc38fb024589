// Pooling and upsampling.
#include "tessera/conformance/internal/adapters.h"

#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

Shape sizes_of(const nlohmann::json& value) {
  return value.is_array() ? shape_of(value) : Shape{value.get<ShapeElem>()};
}

using PoolDefault = array (*)(const array&, const Shape&);
using PoolFull = array (*)(const array&, const Shape&, const Shape&, const Shape&);

Adapter pooling(PoolDefault plain, PoolFull full) {
  return [=](const GoldenCase& c) {
    const Shape kernel = sizes_of(c.attrs["kernel_size"]);
    if (c.attrs["stride"].is_null()) return plain(c.input(0), kernel);
    return full(c.input(0), kernel, sizes_of(c.attrs["stride"]), sizes_of(c.attrs["padding"]));
  };
}

using Upsample = array (*)(const array&, const std::vector<double>&, bool, bool);

Adapter upsampling(Upsample fn) {
  return [fn](const GoldenCase& c) {
    return fn(c.input(0), c.attrs["scale_factor"].get<std::vector<double>>(),
              c.attrs["align_corners"], c.attrs["antialias"]);
  };
}

}  // namespace

void add_pool(Adapters& table) {
  table.insert({
      {"mean_pool", [](const GoldenCase& c) { return mean_pool(c.input(0), c.input(1)); }},
      {"max_pool1d", pooling(max_pool1d, max_pool1d)},
      {"max_pool2d", pooling(max_pool2d, max_pool2d)},
      {"max_pool3d", pooling(max_pool3d, max_pool3d)},
      {"avg_pool1d", pooling(avg_pool1d, avg_pool1d)},
      {"avg_pool2d", pooling(avg_pool2d, avg_pool2d)},
      {"avg_pool3d", pooling(avg_pool3d, avg_pool3d)},
      {"upsample_nearest",
       [](const GoldenCase& c) {
         return upsample_nearest(c.input(0), c.attrs["scale_factor"].get<std::vector<double>>());
       }},
      {"upsample_linear", upsampling(upsample_linear)},
      {"upsample_cubic", upsampling(upsample_cubic)},
  });
}

}  // namespace tessera::conformance

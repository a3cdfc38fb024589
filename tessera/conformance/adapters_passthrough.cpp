// copy, stop_gradient, depends, custom_function.
#include "tessera/conformance/internal/adapters.h"
#include "tessera/graph/transforms.h"
#include "tessera/ir/node.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

std::vector<array> call_depends(const GoldenCase& c) {
  const std::size_t count = c.attrs["count"];
  std::vector<array> inputs, dependencies;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    (i < count ? inputs : dependencies).push_back(c.input(i));
  }
  return depends(inputs, dependencies);
}

std::vector<array> call_custom_function(const GoldenCase& c) {
  const ArraysFn product_and_sum = [](const Arrays& in) {
    return Arrays{in[0] * in[1], in[0] + in[1]};
  };
  const TracingScope tracing;  // outside of transforms there would be no node
  return custom_function(product_and_sum)({c.input(0), c.input(1)});
}

}  // namespace

void add_passthrough(Adapters& table) {
  table.insert({{"copy", unary(copy)},
                {"stop_gradient", unary(stop_gradient)},
                {"depends", call_depends},
                {"custom_function", call_custom_function}});
}

}  // namespace tessera::conformance

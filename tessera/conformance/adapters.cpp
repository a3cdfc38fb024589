#include "tessera/conformance/internal/adapters.h"

namespace tessera::conformance {

namespace {

const Adapters& adapters() {
  static const Adapters table = [] {
    Adapters all;
    add_conv(all);
    add_elementwise(all);
    add_fft(all);
    add_fused(all);
    add_general(all);
    add_passthrough(all);
    add_pool(all);
    add_products(all);
    add_quantized(all);
    add_random(all);
    add_scan(all);
    add_scatter(all);
    add_shapes(all);
    add_sort(all);
    return all;
  }();
  return table;
}

}  // namespace

bool has_adapter(const std::string& op) {
  return adapters().contains(op);
}
std::vector<array> call_op(const GoldenCase& c) {
  return adapters().at(c.op)(c);
}

}  // namespace tessera::conformance

// How a golden case's inputs and attributes become the call: one adapter per op name, in a file per
// family of ops.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tessera/conformance/internal/golden.h"

namespace tessera::conformance {

/// What a call gives: mostly one array, so an array converts.
struct Outputs : std::vector<array> {
  Outputs(array one) : std::vector<array>{std::move(one)} {}
  Outputs(std::vector<array> many) : std::vector<array>(std::move(many)) {}
};

using Adapter = std::function<Outputs(const GoldenCase&)>;
using Adapters = std::map<std::string, Adapter>;

/// errors  std::out_of_range unless a name as in the goldens ("f32")
Dtype dtype_named(const std::string& name);
/// A list of sizes.
Shape shape_of(const nlohmann::json& list);
Adapter unary(array (*fn)(const array&));

void add_conv(Adapters& table);
void add_elementwise(Adapters& table);
void add_fft(Adapters& table);
void add_fused(Adapters& table);
void add_general(Adapters& table);
void add_passthrough(Adapters& table);
void add_pool(Adapters& table);
void add_products(Adapters& table);
void add_quantized(Adapters& table);
void add_random(Adapters& table);
void add_scan(Adapters& table);
void add_scatter(Adapters& table);
void add_shapes(Adapters& table);
void add_sort(Adapters& table);

/// Whether call_op knows the op.
bool has_adapter(const std::string& op);
/// Calls the op of the case on the current backend, unevaluated.   errors  those of the op;
/// std::out_of_range for an op without an adapter
std::vector<array> call_op(const GoldenCase& c);

}  // namespace tessera::conformance

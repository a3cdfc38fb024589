// The cases of tests/goldens/ops/*.json with their tensors (tools/oracles/mlx_cases.py explains
// the format), and calling the library's function for each.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/host_tensor.h"
#include "tessera/ir/array.h"

namespace tessera::testing {

struct GoldenCase {
  std::string id;
  std::string op;
  nlohmann::json attrs;
  std::vector<std::optional<HostTensor>> inputs;  // none: an argument left out
  std::vector<HostTensor> outputs;                // empty when the call must fail
  std::string error;                              // MLX's words when the call must fail
  bool exact = false;                             // a matter of bits, not rounding

  bool must_fail() const { return !error.empty(); }
  array input(std::size_t i) const { return array(inputs.at(i).value()); }
  std::optional<array> optional_input(std::size_t i) const;
};

/// By op name, in the file's order.
const std::map<std::string, std::vector<GoldenCase>>& golden_cases();

/// Calls the op of the case, unevaluated.   errors  those of the op; std::out_of_range for an op
/// without an adapter
std::vector<array> call_op(const GoldenCase& c);

/// Whether call_op knows the op.
bool has_adapter(const std::string& op);

}  // namespace tessera::testing

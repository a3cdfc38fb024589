// A golden case: a call with its inputs and what MLX makes of it (tools/oracles/mlx_cases.py
// explains the files).
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/host_tensor.h"
#include "tessera/ir/array.h"

namespace tessera::conformance {

struct GoldenCase {
  std::string id;
  std::string op;
  nlohmann::json attrs;
  std::vector<std::optional<HostTensor>> inputs;  // none: an argument left out
  std::vector<HostTensor> outputs;                // empty when the call must fail
  std::string error;                              // MLX's words when the call must fail
  bool exact = false;                             // a matter of bits, not rounding
  std::vector<std::optional<array>> given;        // arrays to call with in place of the inputs

  bool must_fail() const { return !error.empty(); }
  /// On the thread's current backend, laid out as the attribute "layout" says: whole, unless
  /// "transposed", "strided", "reversed" or "expanded" (tools/oracles/mlx_core.py).
  array input(std::size_t i) const;
  std::optional<array> optional_input(std::size_t i) const;
};

/// Every *.json of the folder with its *.safetensors, by op name.
/// errors  not_found, io, bad_format
std::map<std::string, std::vector<GoldenCase>> load_golden_cases(
    const std::filesystem::path& folder);

/// What is wrong with what the current backend makes of the case, in words; empty if nothing is.
std::string check(const GoldenCase& c);

}  // namespace tessera::conformance

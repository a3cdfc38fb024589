#include "tests/ops/golden_cases.h"

#include "tessera/io/safetensors.h"
#include "tests/support/goldens.h"

namespace tessera::testing {

namespace {

std::map<std::string, std::vector<GoldenCase>> read_cases() {
  const SafetensorsFile tensors = load_safetensors(goldens() / "ops.safetensors");
  const nlohmann::json file = read_json(goldens() / "ops.json");
  std::map<std::string, std::vector<GoldenCase>> out;
  for (const nlohmann::json& entry : file.at("cases")) {
    GoldenCase c;
    c.id = entry.at("id");
    c.op = entry.at("op");
    c.attrs = entry.at("attrs");
    for (const nlohmann::json& name : entry.at("inputs")) {
      if (name.is_null())
        c.inputs.push_back(std::nullopt);
      else
        c.inputs.push_back(tensors.tensor(name.get<std::string>()));
    }
    c.error = entry.value("error", "");
    c.exact = entry.value("exact", false);
    if (!c.must_fail()) {
      for (const nlohmann::json& name : entry.at("outputs")) {
        c.outputs.push_back(tensors.tensor(name.get<std::string>()));
      }
    }
    out[c.op].push_back(std::move(c));
  }
  return out;
}

}  // namespace

std::optional<array> GoldenCase::optional_input(std::size_t i) const {
  if (i >= inputs.size() || !inputs[i]) return std::nullopt;
  return array(*inputs[i]);
}

const std::map<std::string, std::vector<GoldenCase>>& golden_cases() {
  static const auto cases = read_cases();
  return cases;
}

}  // namespace tessera::testing

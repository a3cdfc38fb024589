#include "tests/ops/golden_cases.h"

#include <filesystem>

#include "tessera/io/safetensors.h"
#include "tests/ops/adapters.h"
#include "tests/support/goldens.h"

namespace tessera::testing {

namespace {

using Cases = std::map<std::string, std::vector<GoldenCase>>;

void read_family(const std::filesystem::path& json, Cases& out) {
  const SafetensorsFile tensors =
      load_safetensors(std::filesystem::path(json).replace_extension("safetensors"));
  const nlohmann::json file = read_json(json);
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
}

Cases read_cases() {
  Cases out;
  for (const auto& entry : std::filesystem::directory_iterator(goldens() / "ops")) {
    if (entry.path().extension() == ".json") read_family(entry.path(), out);
  }
  return out;
}

const Adapters& adapters() {
  static const Adapters table = [] {
    Adapters all;
    add_general(all);
    add_quantized(all);
    return all;
  }();
  return table;
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

bool has_adapter(const std::string& op) {
  return adapters().contains(op);
}
std::vector<array> call_op(const GoldenCase& c) {
  return adapters().at(c.op)(c);
}

}  // namespace tessera::testing

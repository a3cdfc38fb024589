// A module's parameters to and from files.
#include "tessera/core/internal/fail.h"
#include "tessera/io/safetensors.h"
#include "tessera/nn/module.h"

namespace tessera::nn {

namespace {

constexpr const char* kWhere = "load_weights";

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// Names of `a` that `b` lacks.
std::vector<std::string> without(const Parameters& a, const Parameters& b) {
  std::vector<std::string> out;
  for (const auto& [name, values] : a) {
    if (!b.contains(name)) out.push_back(name);
  }
  return out;
}

void check_names(const Parameters& mine, const Parameters& given) {
  const std::vector<std::string> missing = without(mine, given);
  const std::vector<std::string> unexpected = without(given, mine);
  std::string faults;
  if (!missing.empty()) {
    faults = fmt::format("{} parameters are missing: {}", missing.size(), listed(missing));
  }
  if (!unexpected.empty()) {
    faults += fmt::format("{}{} are not in the module: {}", faults.empty() ? "" : "; ",
                          unexpected.size(), listed(unexpected));
  }
  if (!faults.empty()) fail(ErrorCode::not_found, kWhere, "{}", faults);
}

void check_shapes(const Parameters& mine, const Parameters& given) {
  for (const auto& [name, values] : given) {
    const auto found = mine.find(name);
    if (found == mine.end() || found->second.shape() == values.shape()) continue;
    fail(ErrorCode::shape_mismatch, kWhere, "{} is {} in the module, got {}", name,
         to_string(found->second.shape()), to_string(values.shape()));
  }
}

}  // namespace

Module& Module::load_weights(const Parameters& weights, bool strict) {
  const Parameters mine = parameters();
  if (strict) check_names(mine, weights);
  check_shapes(mine, weights);
  return update(weights, false);
}

Module& Module::load_weights(const std::filesystem::path& file, bool strict) {
  const Parameters mine = parameters();
  Parameters weights;
  for (const auto& [name, tensor] : load_safetensors(file).tensors) {
    const auto found = mine.find(name);
    const BackendPtr backend = found == mine.end() ? nullptr : found->second.backend();
    weights.emplace(name, array(tensor.data, backend));
  }
  return load_weights(weights, strict);
}

void Module::save_weights(const std::filesystem::path& file) const {
  if (file.extension() != ".safetensors") {
    fail(ErrorCode::invalid_argument, "save_weights", "{} does not end in .safetensors",
         file.string());
  }
  std::map<std::string, HostTensor, std::less<>> tensors;
  const Parameters all = parameters();
  tessera::eval(all);
  for (const auto& [name, values] : all) tensors.emplace(name, values.to_host());
  save_safetensors(file, tensors, {{"format", "mlx"}});
}

}  // namespace tessera::nn

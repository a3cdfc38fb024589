#include "tessera/conformance/internal/golden.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "tessera/conformance/internal/adapters.h"
#include "tessera/conformance/internal/compare.h"
#include "tessera/conformance/internal/tolerance.h"
#include "tessera/core/error.h"
#include "tessera/core/internal/fail.h"
#include "tessera/io/safetensors.h"
#include "tessera/ops/shape.h"

namespace tessera::conformance {

namespace {

using Cases = std::map<std::string, std::vector<GoldenCase>>;

GoldenCase read_case(const nlohmann::json& entry, const SafetensorsFile& tensors) {
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
  if (c.must_fail()) return c;
  for (const nlohmann::json& name : entry.at("outputs")) {
    c.outputs.push_back(tensors.tensor(name.get<std::string>()));
  }
  return c;
}

void read_family(const std::filesystem::path& json, Cases& out) {
  const SafetensorsFile tensors =
      load_safetensors(std::filesystem::path(json).replace_extension("safetensors"));
  std::ifstream in(json);
  if (!in) fail(ErrorCode::io, json.string(), "cannot be opened");
  try {
    const nlohmann::json file = nlohmann::json::parse(in);
    for (const nlohmann::json& entry : file.at("cases")) {
      GoldenCase c = read_case(entry, tensors);
      out[c.op].push_back(std::move(c));
    }
  } catch (const nlohmann::json::exception& e) {
    fail(ErrorCode::bad_format, json.string(), "is no file of golden cases: {}", e.what());
  }
}

// A row that may see nothing: MLX gives the mean of v or NaN by device; here it is zeros, always.
bool is_fully_masked(const GoldenCase& c) {
  return c.id.find("/fully_masked_") != std::string::npos;
}

HostTensor with_zeros_in_row_1(const HostTensor& t) {
  HostTensor out(t.shape(), t.dtype());
  std::memcpy(out.mutable_data(), t.data(), t.nbytes());
  const std::size_t row = t.nbytes() / t.shape()[2];
  std::memset(out.mutable_data() + row, 0, row);
  return out;
}

// MLX refuses any empty input; here the sum over nothing is exp's identity, so its log is -inf.
bool is_logsumexp_of_nothing(const GoldenCase& c) {
  return c.op == "logsumexp" && c.id.find("/2x0/") != std::string::npos;
}

std::string check_refused(const GoldenCase& c) {
  try {
    const std::vector<array> out = call_op(c);
    for (const array& a : out) a.eval();
    return fmt::format("gave {}, but must fail; MLX says: {}", to_string(out.front().shape()),
                       c.error);
  } catch (const Error& e) {
    const std::string said = e.what();
    if (said.size() > e.where().size() + 10) return {};
    return fmt::format("failed without saying why: {}", said);
  }
}

std::string check_logsumexp_of_nothing(const GoldenCase& c) {
  for (const array& a : call_op(c)) {
    const HostTensor got = a.to_host();
    if (got.dtype() != c.inputs[0]->dtype() || got.shape() != Shape{2}) {
      return "logsumexp of two empty rows is not two values of the input's dtype";
    }
    const bool all_minus_infinity =
        got.dtype() == float32
            ? got.values<float>()[0] == -INFINITY && got.values<float>()[1] == -INFINITY
        : got.dtype() == float16 ? float(got.values<float16_t>()[0]) == -INFINITY
                                 : float(got.values<bfloat16_t>()[0]) == -INFINITY;
    if (!all_minus_infinity) return "logsumexp of an empty row is not -inf";
  }
  return {};
}

std::string check_values(const GoldenCase& c) {
  const std::vector<array> got = call_op(c);
  if (got.size() != c.outputs.size()) {
    return fmt::format("gave {} arrays, not {}", got.size(), c.outputs.size());
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const HostTensor want = is_fully_masked(c) ? with_zeros_in_row_1(c.outputs[i]) : c.outputs[i];
    const auto wrong =
        difference(got[i].to_host(), want, tolerance_of(c.op, want.dtype()), c.exact);
    if (wrong) return got.size() == 1 ? *wrong : fmt::format("output {}: {}", i, *wrong);
  }
  return {};
}

}  // namespace

array GoldenCase::input(std::size_t i) const {
  const array whole = i < given.size() && given[i] ? *given[i] : array(inputs.at(i).value());
  const auto found = attrs.find("layout");
  if (found == attrs.end()) return whole;
  const std::string layout = *found;
  const ShapeElem rows = whole.shape(0), columns = whole.shape(1);
  if (layout == "transposed") return transpose(whole);
  if (layout == "strided") return slice(whole, {0, 1}, {rows, columns}, {2, 3});
  if (layout == "reversed") {
    return slice(whole, {rows - 1, columns - 1}, {-rows - 1, -columns - 1}, {-1, -1});
  }
  if (layout == "expanded") return broadcast_to(slice(whole, {0, 0}, {rows, 1}), whole.shape());
  fail(ErrorCode::bad_format, id, "layout \"{}\" is not known", layout);
}

std::optional<array> GoldenCase::optional_input(std::size_t i) const {
  if (i >= inputs.size() || !inputs[i]) return std::nullopt;
  return i < given.size() && given[i] ? *given[i] : array(*inputs[i]);
}

std::map<std::string, std::vector<GoldenCase>> load_golden_cases(
    const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::directory_iterator files(folder, failed);
  if (failed) {
    fail(ErrorCode::not_found, folder.string(),
         "cannot be read ({}); set TESSERA_CONFORMANCE_DATA to the folder of golden cases",
         failed.message());
  }
  Cases out;
  for (const auto& entry : files) {
    if (entry.path().extension() == ".json") read_family(entry.path(), out);
  }
  if (out.empty()) fail(ErrorCode::not_found, folder.string(), "holds no golden cases");
  return out;
}

std::string check(const GoldenCase& c) {
  if (!has_adapter(c.op)) return "the suite has no adapter for this op";
  if (is_logsumexp_of_nothing(c)) return check_logsumexp_of_nothing(c);
  return c.must_fail() ? check_refused(c) : check_values(c);
}

}  // namespace tessera::conformance

// Derivatives and batching of every op, on the inputs of the golden cases: gradients against
// central differences, forward against backward derivatives, vmap against a loop. MLX's own
// gradients are the goldens of tests/graph.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tessera/conformance/internal/adapters.h"
#include "tessera/conformance/internal/compare.h"
#include "tessera/conformance/internal/golden.h"
#include "tessera/conformance/suite.h"
#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/graph/transforms.h"
#include "tessera/io/safetensors.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {
namespace {

constexpr std::int64_t kMostElements = 600;

const std::map<std::string, std::vector<GoldenCase>>& golden_cases() {
  static const auto cases = load_golden_cases(default_data());
  return cases;
}

// Numbers that are the same in every run, different along the array, and never 0.
array direction(const array& like, double phase) {
  std::vector<double> values(static_cast<std::size_t>(like.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::sin(1.7 * static_cast<double>(i) + phase) + 0.3 * std::cos(0.37 * phase);
  }
  return astype(array(std::span<const double>(values), like.shape()), like.dtype());
}

bool all_finite(const HostTensor& t) {
  for (const float x : t.values<float>()) {
    if (!std::isfinite(x) || std::abs(x) > 1e4) return false;
  }
  return true;
}

bool real_floating(const array& a) {
  return issubdtype(a.dtype(), Dtype::Category::floating);
}

// The call of a golden case as a function of its floating inputs.
struct Call {
  GoldenCase golden;
  std::vector<std::size_t> floating;  // which inputs
  Arrays values;

  Arrays operator()(const Arrays& in) const {
    GoldenCase c = golden;
    c.given.resize(c.inputs.size());
    for (std::size_t i = 0; i < in.size(); ++i) c.given[floating[i]] = in[i];
    Arrays outputs;
    for (const array& out : call_op(c)) {
      if (out.dtype() == complex64) {
        outputs.push_back(real(out));
        outputs.push_back(imag(out));
      } else {
        outputs.push_back(out);
      }
    }
    return outputs;
  }
};

// None when the case has no floating input, or values that no difference can be taken at.
std::optional<Call> smooth_call(const GoldenCase& c, Dtype dtype) {
  if (c.must_fail()) return std::nullopt;
  Call call{c, {}, {}};
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.inputs[i]) continue;
    elements += c.inputs[i]->size();
    if (!issubdtype(c.inputs[i]->dtype(), Dtype::Category::inexact)) continue;
    if (c.inputs[i]->dtype() != float32 || !all_finite(*c.inputs[i])) return std::nullopt;
    call.floating.push_back(i);
    call.values.push_back(astype(array(*c.inputs[i]), dtype));
  }
  if (call.floating.empty() || elements > kMostElements || elements == 0) return std::nullopt;
  return call;
}

bool finite(const Arrays& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const array& a) {
    return !real_floating(a) || all(abs(a) < INFINITY).item<bool>();
  });
}

// Into (0, 1), where every op is defined.
void tame(Call& call) {
  for (array& value : call.values) {
    value = 0.3f + 0.2f * astype(direction(value, 0.9), value.dtype());
  }
}

double dot(const array& a, const array& b) {
  const array x = astype(a, float64), y = astype(b, float64);
  return sum(x * y).item<double>();
}

double weighted(const Arrays& outputs, const Arrays& weights) {
  double total = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (real_floating(outputs[i])) total += dot(outputs[i], weights[i]);
  }
  return total;
}

Arrays moved(const Arrays& at, const Arrays& along, double step) {
  Arrays out;
  for (std::size_t i = 0; i < at.size(); ++i) {
    out.push_back(at[i] + astype(array(step), at[i].dtype()) * along[i]);
  }
  return out;
}

enum class Verdict { right, not_smooth, no_derivative, wrong };

struct Finding {
  Verdict verdict;
  std::string what;
};

struct Step {
  double size;
  double near;  // how closely slopes must agree
  double bend;  // how far the slopes on the two sides may differ
};

// The slope of the weighted outputs along the tangents by differences, if there is one: with a step
// and half of it, and from both sides.
std::optional<double> slope_by_differences(const Call& call, const Arrays& tangents,
                                           const Arrays& cotangents, const Step& step,
                                           double scale) {
  const auto at = [&](double h) {
    return weighted(call(moved(call.values, tangents, h)), cotangents);
  };
  const double h = step.size, here = at(0), above = at(h), below = at(-h);
  const double whole = (above - below) / (2 * h);
  const double half = (at(h / 2) - at(-h / 2)) / h;
  const double bend = (above - here) / h - (here - below) / h;
  if (!(std::abs(whole - half) <= step.near * scale)) return std::nullopt;
  if (!(std::abs(bend) <= step.bend * scale)) return std::nullopt;
  return half;
}

Finding check_gradient(const Call& call) {
  const Arrays outputs = call(call.values);
  Arrays cotangents, tangents;
  bool doubles = true, halves = false;
  for (const array& out : outputs) {
    cotangents.push_back(direction(out, 0.3));
    doubles = doubles && out.dtype() == float64;
    halves = halves || out.dtype().size() == 2;
  }
  for (const array& in : call.values) tangents.push_back(direction(in, 1.1));
  const Arrays gradients = vjp(ArraysFn(call), call.values, cotangents).second;
  double slope = 0, size = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    slope += dot(gradients[i], tangents[i]);
    size += dot(abs(gradients[i]), abs(tangents[i]));
  }
  const double forward = weighted(jvp(ArraysFn(call), call.values, tangents).second, cotangents);
  const double exactness = doubles ? 2e-6 : halves ? 3e-2 : 1e-3;
  if (!(std::abs(forward - slope) <= exactness * (size + 1e-3))) {
    return {Verdict::wrong, fmt::format("vjp says {}, jvp {}", slope, forward)};
  }
  // Ops that compute in float32 whatever they are given need the longer step, and say nothing with
  // the short one.
  Finding finding{Verdict::not_smooth, "no limit"};
  if (halves) return finding;
  for (const Step& step : {Step{1e-6, 2e-6, 1e-4}, Step{2e-3, 1e-2, 1e-2}}) {
    const auto found = slope_by_differences(call, tangents, cotangents, step, size + 1e-2);
    if (!found) continue;
    if (std::abs(*found - slope) <= 2 * step.near * (size + 1e-2)) return {Verdict::right, {}};
    finding = {Verdict::wrong, fmt::format("gradient {}, differences {}", slope, *found)};
  }
  return finding;
}

// Ops that step, or whose derivative MLX does not have either.
const std::set<std::string>& without_derivative() {
  static const std::set<std::string> ops = {"quantize"};
  return ops;
}

TEST(Derivatives, GradientsOfEveryOpAgreeWithDifferencesAndWithForwardDerivatives) {
  int right = 0;
  for (const auto& [op, cases] : golden_cases()) {
    if (op == "stop_gradient") continue;  // a constant on purpose: tests/graph/transforms_test.cpp
    int right_here = 0, tried = 0;
    std::string note;
    for (const GoldenCase& c : cases) {
      std::optional<Call> call = smooth_call(c, float64);
      if (!call) continue;
      try {
        eval((*call)(call->values));
      } catch (const Error&) {  // no double precision for this op: steps must be near the values
        call = smooth_call(c, float32);
        tame(*call);
      }
      if (!finite((*call)(call->values))) tame(*call);
      ++tried;
      SCOPED_TRACE(c.id);
      try {
        Finding found = check_gradient(*call);
        if (found.verdict == Verdict::not_smooth) {
          tame(*call);
          found = check_gradient(*call);
        }
        if (found.verdict == Verdict::wrong) ADD_FAILURE() << found.what;
        if (found.verdict == Verdict::right) ++right_here;
        note = found.what;
      } catch (const Error& e) {
        if (!without_derivative().contains(op)) ADD_FAILURE() << e.what();
        ++right_here;
      }
    }
    if (tried > 0) {
      EXPECT_GT(right_here, 0) << op << " has no case with a limit: " << note;
    }
    right += right_here;
  }
  EXPECT_GT(right, 1000);
}

void expect_near(const array& got, const array& want) {
  const auto found = difference(got.to_host(), want.to_host(), {2, 1e-5}, false);
  EXPECT_FALSE(found) << *found;
}

// What MLX says of a golden case: tools/oracles/mlx_cases.py, "TESSERA_GRADIENTS".
using GoldenGradients = std::map<std::string, std::vector<HostTensor>>;

GoldenGradients golden_gradients() {
  GoldenGradients out;
  const auto folder = default_data().parent_path() / "gradients";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    auto tensors_path = entry.path();
    const SafetensorsFile tensors = load_safetensors(tensors_path.replace_extension("safetensors"));
    const nlohmann::json file = nlohmann::json::parse(std::ifstream(entry.path()));
    for (const auto& found : file.at("cases")) {
      for (const std::string name : found.at("gradients")) {
        out[found.at("id")].push_back(tensors.tensor(name));
      }
    }
  }
  return out;
}

array mlx_cotangent(const array& like) {
  std::vector<float> values(static_cast<std::size_t>(like.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(std::sin(1.7 * double(i) + 0.3) + 0.3 * std::cos(0.37 * 0.3));
  }
  return array(std::span<const float>(values), like.shape());
}

// Where MLX 0.32's gradient is another than ours, and why ours stays.
std::string why_not_as_mlx(const GoldenCase& c) {
  static const std::map<std::string, std::string> reasons = {
      {"conv_general/f32/2d/input_dilation", "MLX's gradient has another shape than the input"},
      {"conv_transpose1d/f32/all", "MLX's gradient has another shape than the input"},
      {"rms_norm/f32/1", "one feature: what is left of a difference of equal numbers"},
      {"rms_norm/f32/size/1", "one feature: what is left of a difference of equal numbers"},
      {"put_along_axis/f32/one_value", "only the update that stays has a gradient here"},
      {"put_along_axis/f32/duplicates", "only the update that stays has a gradient here"},
      {"sdpa/f32/fully_masked_bool", "a row that sees nothing gives zeros here"},
      {"sdpa/f32/fully_masked_additive", "a row that sees nothing gives zeros here"},
  };
  for (const auto& input : c.inputs) {
    if (input && input->dtype() == float32 && !all_finite(*input) && c.op != "sdpa" &&
        !c.op.ends_with("softmax")) {
      return "at infinity and NaN there is no derivative";
    }
  }
  const auto found = reasons.find(c.id);
  return found == reasons.end() ? "" : found->second;
}

TEST(Derivatives, GradientsAreThoseOfMlx) {
  const GoldenGradients golden = golden_gradients();
  int compared = 0;
  for (const auto& [op, cases] : golden_cases()) {
    for (const GoldenCase& c : cases) {
      const auto want = golden.find(c.id);
      if (want == golden.end() || !why_not_as_mlx(c).empty()) continue;
      SCOPED_TRACE(c.id);
      Call call{c, {}, {}};
      for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        if (!c.inputs[i] || c.inputs[i]->dtype() != float32) continue;
        call.floating.push_back(i);
        call.values.push_back(array(*c.inputs[i]));
      }
      try {
        Arrays cotangents;
        for (const array& out : call(call.values)) cotangents.push_back(mlx_cotangent(out));
        const Arrays got = vjp(ArraysFn(call), call.values, cotangents).second;
        ASSERT_EQ(got.size(), want->second.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          const auto found = difference(got[i].to_host(), want->second[i], {4, 2e-5}, false);
          EXPECT_FALSE(found) << *found;
        }
        ++compared;
      } catch (const Error& e) {
        ADD_FAILURE() << e.what();
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(Derivatives, VmapOfEveryOpAgreesWithALoop) {
  constexpr int kBatch = 3;
  int right = 0;
  for (const auto& [op, cases] : golden_cases()) {
    for (const GoldenCase& c : cases) {
      const std::optional<Call> call = smooth_call(c, float32);
      if (!call) continue;
      SCOPED_TRACE(c.id);
      // Every input differs over the batch; then the first alone.
      for (const bool first_only : {false, true}) {
        if (first_only && call->values.size() == 1) continue;
        Arrays batches;
        std::vector<int> axes;
        for (std::size_t i = 0; i < call->values.size(); ++i) {
          const array& x = call->values[i];
          axes.push_back(first_only && i > 0 ? -1 : 0);
          batches.push_back(axes.back() < 0 ? x : stack({x, x * 0.5f, x * 1.25f}));
        }
        try {
          const Arrays got = vmap(ArraysFn(*call), axes)(batches);
          for (int b = 0; b < kBatch; ++b) {
            Arrays single;
            for (std::size_t i = 0; i < batches.size(); ++i) {
              single.push_back(axes[i] < 0 ? batches[i] : take(batches[i], array(b), 0));
            }
            const Arrays want = (*call)(single);
            ASSERT_EQ(got.size(), want.size());
            for (std::size_t k = 0; k < want.size(); ++k) {
              expect_near(take(got[k], array(b), 0), want[k]);
            }
          }
          ++right;
        } catch (const Error& e) {
          ADD_FAILURE() << e.what();
        }
      }
    }
  }
  EXPECT_GT(right, 1000);
}

}  // namespace
}  // namespace tessera::conformance

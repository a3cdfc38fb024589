// Derivatives and batching of every op, on the inputs of the golden cases: gradients against
// central differences, forward against backward derivatives, vmap against a loop. MLX's own
// gradients are the goldens of tests/graph.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tessera/conformance/internal/adapters.h"
#include "tessera/conformance/internal/golden.h"
#include "tessera/conformance/suite.h"
#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/graph/transforms.h"
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

// The call of a golden case as a function of its floating inputs.
struct Call {
  GoldenCase golden;
  std::vector<std::size_t> floating;  // which inputs
  Arrays values;

  Arrays operator()(const Arrays& in) const {
    GoldenCase c = golden;
    c.given.resize(c.inputs.size());
    for (std::size_t i = 0; i < in.size(); ++i) c.given[floating[i]] = in[i];
    return call_op(c);
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

double dot(const array& a, const array& b) {
  const array x = astype(a, float64), y = astype(b, float64);
  return sum(x * y).item<double>();
}

bool real_floating(const array& a) {
  return issubdtype(a.dtype(), Dtype::Category::floating);
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

Finding check_gradient(const Call& call, bool doubles) {
  const Arrays outputs = call(call.values);
  Arrays cotangents, tangents;
  for (const array& out : outputs) {
    if (out.dtype() == complex64) return {Verdict::not_smooth, "complex"};
    cotangents.push_back(direction(out, 0.3));
  }
  for (const array& in : call.values) tangents.push_back(direction(in, 1.1));
  const Arrays gradients = vjp(ArraysFn(call), call.values, cotangents).second;
  double slope = 0, size = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    slope += dot(gradients[i], tangents[i]);
    size += dot(abs(gradients[i]), abs(tangents[i]));
  }
  const double forward =
      weighted(jvp(ArraysFn(call), call.values, tangents).second, cotangents);
  const double exactness = doubles ? 1e-9 : 1e-4;
  if (!(std::abs(forward - slope) <= exactness * (size + 1e-3))) {
    return {Verdict::wrong, "vjp says " + std::to_string(slope) + ", jvp " + std::to_string(forward)};
  }
  const double step = doubles ? 1e-6 : 2e-3;
  const auto difference = [&](double h) {
    return (weighted(call(moved(call.values, tangents, h)), cotangents) -
            weighted(call(moved(call.values, tangents, -h)), cotangents)) /
           (2 * h);
  };
  const double whole = difference(step), half = difference(step / 2);
  const double near = (doubles ? 2e-6 : 2e-2) * (size + 1e-2);
  if (std::abs(whole - half) > near) return {Verdict::not_smooth, "no limit"};
  if (std::abs(half - slope) > 2 * near) {
    return {Verdict::wrong,
            "gradient " + std::to_string(slope) + ", differences " + std::to_string(half)};
  }
  return {Verdict::right, {}};
}

// Ops that step, or whose derivative MLX does not have either.
const std::set<std::string>& without_derivative() {
  static const std::set<std::string> ops = {"quantize"};
  return ops;
}

TEST(Derivatives, GradientsOfEveryOpAgreeWithDifferencesAndWithForwardDerivatives) {
  int right = 0;
  for (const auto& [op, cases] : golden_cases()) {
    int right_here = 0, tried = 0;
    std::string note;
    for (const GoldenCase& c : cases) {
      bool doubles = true;
      std::optional<Call> call = smooth_call(c, float64);
      if (!call) continue;
      try {
        eval((*call)(call->values));
      } catch (const Error&) {  // no double precision for this op
        doubles = false;
        call = smooth_call(c, float32);
      }
      ++tried;
      SCOPED_TRACE(c.id);
      try {
        const Finding found = check_gradient(*call, doubles);
        if (found.verdict == Verdict::wrong) ADD_FAILURE() << found.what;
        if (found.verdict == Verdict::right) ++right_here;
        note = found.what;
      } catch (const Error& e) {
        if (!without_derivative().contains(op)) ADD_FAILURE() << e.what();
        ++right_here;
      }
    }
    if (tried > 0) EXPECT_GT(right_here, 0) << op << " has no case with a limit: " << note;
    right += right_here;
  }
  EXPECT_GT(right, 1000);
}

void expect_near(const array& got, const array& want, double tolerance) {
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  if (got.size() == 0) return;
  if (got.dtype() == complex64) {
    expect_near(real(got), real(want), tolerance);
    expect_near(imag(got), imag(want), tolerance);
    return;
  }
  const array a = astype(got, float64), b = astype(want, float64);
  const double largest = max(abs(b)).item<double>();
  EXPECT_LE(max(abs(a - b)).item<double>(), tolerance * (largest + 1e-3));
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
              expect_near(take(got[k], array(b), 0), want[k], 1e-5);
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

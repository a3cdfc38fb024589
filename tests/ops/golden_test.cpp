// Every op against Python MLX: as its kernel computes it and as its lowering does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tessera/core/error.h"
#include "tessera/graph/eval.h"
#include "tessera/ops/creation.h"
#include "tests/ops/compare.h"
#include "tests/ops/golden_cases.h"

namespace tessera::testing {
namespace {

// What rounding may do to each op. Ops that are not here are correctly rounded or move bits.
Tolerance tolerance(const std::string& op, Dtype dtype) {
  struct Row {
    const char* op;
    Tolerance f32;
    Tolerance half;  // computed in float32 and rounded once on both sides, so mostly one ulp
    const char* why;
  };
  static const Row rows[] = {
      {"exp", {32}, {1}, "MLX's exp errs by x/3 ulp"},
      {"log", {2}, {1}, "libm and MLX's polynomial each err by an ulp"},
      {"sin", {2, 1e-7}, {1, 1e-7}, "near a zero MLX's range reduction errs in absolute terms"},
      {"cos", {2, 1e-7}, {1, 1e-7}, "as sin"},
      {"tanh", {4}, {1}, "an exp and a quotient"},
      {"erf", {4, 2e-7}, {1, 2e-7}, "MLX's polynomial errs by 1.5e-7, also near 0"},
      {"sigmoid", {32}, {1}, "as exp"},
      {"rsqrt", {2}, {1}, "a root and a quotient, each rounded"},
      {"gelu", {4, 2e-7}, {1, 2e-7}, "1 + erf cancels for large negative x"},
      {"gelu_approx", {4, 2e-7}, {1, 2e-7}, "1 + tanh cancels for large negative x"},
      {"silu", {32}, {1}, "as exp"},
      {"sum", {0, 1e-6}, {1, 1e-6}, "order of summation"},
      {"mean", {0, 1e-6}, {1, 1e-6}, "order of summation"},
      {"prod", {16}, {1}, "order of multiplication: half an ulp for each of 255 factors"},
      {"cumsum", {0, 1e-6}, {1, 1e-6}, "order of summation"},
      {"softmax", {16}, {1}, "as exp, of differences down to -30"},
      {"logsumexp", {4}, {1}, "an exp, a sum and a log"},
      {"matmul", {0, 2e-6}, {1, 2e-6}, "order of summation; elements may cancel"},
      {"addmm", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"quantized_matmul", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"gather_qmm", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"gather_mm", {0, 2e-6}, {1, 2e-6}, "as matmul"},
      {"fast.rms_norm", {8}, {1}, "a sum, a root and two products"},
      {"fast.layer_norm", {0, 2e-6}, {1, 2e-6}, "x - mean cancels"},
      {"fast.rope", {0, 1e-5}, {1, 1e-5}, "angles of up to 1000 radians hold 6e-5 of a turn"},
      {"fast.scaled_dot_product_attention", {0, 4e-6}, {1, 4e-6}, "as softmax and matmul"},
      {"arange", {0, 4e-7}, {0}, "MLX adds float32 steps where this multiplies in float64"},
  };
  for (const Row& row : rows) {
    if (op == row.op) return dtype == float32 ? row.f32 : row.half;
  }
  return {};
}

// A row that may see nothing: MLX gives the mean of v or NaN by device; here it is zeros, always.
bool is_fully_masked(const GoldenCase& c) {
  return c.id.find("/fully_masked_") != std::string::npos;
}

// MLX refuses any empty input; here the sum over nothing is exp's identity, so its log is -inf.
bool is_logsumexp_of_nothing(const GoldenCase& c) {
  return c.op == "logsumexp" && c.id.find("/2x0/") != std::string::npos;
}

void check_refused(const GoldenCase& c) {
  try {
    const std::vector<array> out = call_op(c);
    for (const array& a : out) a.eval();
    ADD_FAILURE() << c.id << " gave " << to_string(out.front().shape())
                  << ", but MLX says: " << c.error;
  } catch (const Error& e) {
    EXPECT_GT(std::string(e.what()).size(), e.where().size() + 10) << c.id << ": " << e.what();
  }
}

HostTensor with_zeros_in_row_1(const HostTensor& t) {
  HostTensor out(t.shape(), t.dtype());
  std::memcpy(out.mutable_data(), t.data(), t.nbytes());
  const std::size_t row = t.nbytes() / t.shape()[2];
  std::memset(out.mutable_data() + row, 0, row);
  return out;
}

void check(const GoldenCase& c) {
  if (is_logsumexp_of_nothing(c)) {
    const HostTensor want =
        HostTensor::from<float>(std::vector<float>{-INFINITY, -INFINITY}, Shape{2});
    const HostTensor got = call_op(c).front().to_host();
    EXPECT_EQ(got.dtype(), c.inputs[0]->dtype()) << c.id;
    EXPECT_EQ(difference(astype(array(got), float32).to_host(), want, {}, true), std::nullopt)
        << c.id;
    return;
  }
  if (c.must_fail()) return check_refused(c);
  try {
    const std::vector<array> got = call_op(c);
    ASSERT_EQ(got.size(), c.outputs.size()) << c.id;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const HostTensor want = is_fully_masked(c) ? with_zeros_in_row_1(c.outputs[i]) : c.outputs[i];
      const auto wrong = difference(got[i].to_host(), want, tolerance(c.op, want.dtype()), c.exact);
      EXPECT_EQ(wrong, std::nullopt) << c.id << " output " << i << ": " << wrong.value_or("");
    }
  } catch (const Error& e) {
    ADD_FAILURE() << c.id << " threw: " << e.what();
  }
}

class OpGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(OpGolden, KernelEqualsMlx) {
  ASSERT_TRUE(has_adapter(GetParam())) << "tests/ops/adapters.cpp does not call this op";
  for (const GoldenCase& c : golden_cases().at(GetParam())) check(c);
}

TEST_P(OpGolden, LoweringEqualsMlx) {
  ASSERT_TRUE(has_adapter(GetParam()));
  const LoweredScope lowered;
  for (const GoldenCase& c : golden_cases().at(GetParam())) check(c);
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const auto& [op, cases] : golden_cases()) names.push_back(op);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Mlx, OpGolden, ::testing::ValuesIn(op_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace tessera::testing

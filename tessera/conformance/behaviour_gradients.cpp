// What flows back through attention rows that see nothing and through products over nothing: zeros,
// never NaN.
#include <cmath>
#include <optional>

#include "tessera/conformance/internal/behaviour.h"
#include "tessera/conformance/internal/compare.h"
#include "tessera/graph/transforms.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

// Gradients of q, k and v for the loss sum(attention * weights).
Arrays attention_gradients(const Arrays& qkv, const Sdpa& op, const std::optional<array>& mask,
                           const array& weights) {
  const ScalarFn loss = [&](const Arrays& in) {
    return sum(astype(sdpa(in[0], in[1], in[2], op, mask), float32) * weights);
  };
  return grad(loss, {0, 1, 2})(qkv);
}

// As if the hidden row were not there: nothing for its query, and what the others give.
void expect_no_gradient_from(ShapeElem row, const Arrays& qkv, const Sdpa& op, const array& mask,
                             const std::string& what) {
  const Shape& shape = qkv[0].shape();
  const array weights = reshape(sin(arange(0, qkv[0].size(), 1, float32)), shape);
  const array rows = reshape(arange(0, 4), {1, 1, 4, 1});
  const array others = where(rows == static_cast<int>(row), array(0.0f), weights);
  const Arrays got = attention_gradients(qkv, op, mask, weights);
  const Arrays open = attention_gradients(qkv, op, std::nullopt, others);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto wrong = difference(got[i].to_host(), open[i].to_host(), {1, 2e-6}, false);
    expect(!wrong.has_value(), "{}, gradient {}: {}", what, i, wrong.value_or(""));
  }
  const array hidden = slice(got[0], {0, 0, row, 0}, {shape[0], shape[1], row + 1, shape[3]});
  expect(!any(hidden != 0.0f).item<bool>(), "{}: a gradient flows through the hidden row", what);
}

void rows_that_see_nothing_pass_no_gradient() {
  const array keep = broadcast_to(reshape(array({true, false, true, true}), {4, 1}), {4, 4});
  const array added = where(keep, array(0.0f), array(-INFINITY));
  const array not_first = slice_update(ones({4, 4}, bool_), array(false), {0, 0}, {1, 4});
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const ShapeElem heads : {1, 8}) {
      const std::string what = fmt::format("{} heads in {}", heads, to_string(dtype));
      const array one = reshape(arange(0, 8, 1, float32) * 0.125f, {1, 1, 4, 2});
      const array x = broadcast_to(astype(one, dtype), {1, heads, 4, 2});
      const Sdpa plain{.scale = 1}, causal{.scale = 1, .causal = true};
      expect_no_gradient_from(1, {x, x, x}, plain, keep, what + ", bool mask");
      expect_no_gradient_from(1, {x, x, x}, plain, astype(added, dtype), what + ", added mask");
      expect_no_gradient_from(0, {x, x, x}, causal, not_first, what + ", causal without key 0");
    }
  }
}

void expect_zero_gradients(const ArraysFn& product, const Arrays& inputs, std::string_view what) {
  const ScalarFn loss = [&](const Arrays& in) { return sum(product(in)[0] + 1.0f); };
  std::vector<int> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back(static_cast<int>(i));
  const Arrays got = grad(loss, all)(inputs);
  for (std::size_t i = 0; i < got.size(); ++i) {
    expect_equal(got[i], zeros(inputs[i].shape()).to_host(), what);
  }
}

void gradients_of_empty_products_are_zero() {
  const ArraysFn product = [](const Arrays& in) { return Arrays{matmul(in[0], in[1])}; };
  expect_zero_gradients(product, {ones({2, 0}), ones({0, 3})}, "[2, 0] x [0, 3]");
  expect_zero_gradients(product, {ones({0, 3}), ones({3, 4})}, "[0, 3] x [3, 4]");
  expect_zero_gradients(product, {ones({0, 2, 3}), ones({0, 3, 4})}, "an empty batch of products");
  const ArraysFn dot = [](const Arrays& in) { return Arrays{inner(in[0], in[1])}; };
  expect_zero_gradients(dot, {ones({0}), ones({0})}, "inner of nothing");
  const ArraysFn layer = [](const Arrays& in) { return Arrays{linear(in[0], in[1], in[2])}; };
  expect_zero_gradients(layer, {ones({0, 4}), ones({3, 4}), ones({3})}, "linear of no rows");
}

}  // namespace

std::vector<Behaviour> gradient_behaviours() {
  return {{"rows that see nothing pass no gradient", rows_that_see_nothing_pass_no_gradient},
          {"gradients of empty products are zero", gradients_of_empty_products_are_zero}};
}

}  // namespace tessera::conformance

// An op may take over the memory of an input that nobody else needs, and only of such a one.
#include "tessera/conformance/internal/behaviour.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

HostTensor floats(std::vector<float> values) {
  const ShapeElem size = static_cast<ShapeElem>(values.size());
  return HostTensor::from(std::span<const float>(values), Shape{size});
}

void inputs_in_use_do_not_change() {
  const array a = array({1.0f, 2.0f, 3.0f, 4.0f}) + 0.0f;
  a.eval();
  const array b = exp(a) + a;
  const array c = -a;
  eval(b, c);
  expect_equal(a, floats({1, 2, 3, 4}), "an input after exp, add and negative");
  expect_equal(a + a, floats({2, 4, 6, 8}), "an array added to itself");
  expect_equal(a, floats({1, 2, 3, 4}), "an array after it was added to itself");
}

void an_update_leaves_the_original() {
  const array a = array({1.0f, 2.0f, 3.0f, 4.0f}) + 0.0f;
  const array alias = reshape(a, {2, 2});
  eval(a, alias);
  const array b = slice_update(a, array({9.0f, 9.0f}), {1}, {3});
  expect_equal(b, floats({1, 9, 9, 4}), "the updated array");
  expect_equal(a, floats({1, 2, 3, 4}), "the original of an update");
  expect_equal(reshape(alias, {4}), floats({1, 2, 3, 4}), "a view of the original of an update");
}

void an_update_may_read_what_it_writes() {
  array a = array({1.0f, 2.0f, 3.0f, 4.0f, 5.0f}) + 0.0f;
  a.eval();
  const array moved = slice(a, {0}, {4});
  a = slice_update(a, moved, {1}, {5});
  expect_equal(a, floats({1, 1, 2, 3, 4}), "an array updated with a slice of itself");
}

void a_chain_of_updates_is_right() {
  array cache = zeros({1, 2, 16, 4});
  for (ShapeElem at = 0; at < 16; ++at) {
    const array row = full({1, 2, 1, 4}, array(static_cast<float>(at + 1)));
    cache = slice_update(cache, row, {0, 0, at, 0}, {1, 2, at + 1, 4});
    const array seen = slice(cache, {0, 0, 0, 0}, {1, 2, at + 1, 4});
    const float total = static_cast<float>(8 * (at + 1) * (at + 2) / 2);
    const float got = sum(seen).item<float>();
    expect(got == total, "after {} updates the cache sums to {}, not {}", at + 1, got, total);
  }
}

void results_do_not_depend_on_what_was_in_memory() {
  // Freed memory comes back full of other values; an op that skips its last elements shows them.
  for (const ShapeElem size : {1, 7, 8, 9, 15, 17, 31, 33, 63, 65, 127, 129, 1000, 1025}) {
    for (int round = 0; round < 2; ++round) {
      { (full({3, size}, array(-77.0f)) * 1.0f).eval(); }
      const array x = ones({3, size}) * 2.0f;
      const array y = (x + 1.0f) * x;
      const HostTensor got = y.to_host();
      for (std::size_t i = 0; i < got.values<float>().size(); ++i) {
        expect(got.values<float>()[i] == 6.0f, "of {} elements, number {} is {}", 3 * size, i,
               got.values<float>()[i]);
      }
    }
  }
}

void the_same_call_gives_the_same_bits() {
  const array x = sin(arange(0, 37 * 129, 1, float32));
  const array m = reshape(x, {37, 129});
  const HostTensor first = matmul(m, transpose(m)).to_host();
  for (int round = 0; round < 5; ++round) {
    expect_equal(matmul(m, transpose(m)), first, "a product computed again");
  }
  const HostTensor total = sum(m, 0).to_host();
  for (int round = 0; round < 5; ++round) expect_equal(sum(m, 0), total, "a sum computed again");
}

}  // namespace

std::vector<Behaviour> sharing_behaviours() {
  return {
      {"inputs in use do not change", inputs_in_use_do_not_change},
      {"an update leaves the original", an_update_leaves_the_original},
      {"an update may read what it writes", an_update_may_read_what_it_writes},
      {"a chain of updates is right", a_chain_of_updates_is_right},
      {"results do not depend on what was in memory", results_do_not_depend_on_what_was_in_memory},
      {"the same call gives the same bits", the_same_call_gives_the_same_bits}};
}

}  // namespace tessera::conformance

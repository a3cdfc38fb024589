// A bad call is an Error that says what does not fit, before anything runs, and the backend works
// on afterwards.
#include <cmath>

#include "tessera/backend/backend.h"
#include "tessera/conformance/internal/behaviour.h"
#include "tessera/core/error.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

void shapes_that_do_not_fit_are_both_named() {
  expect_refused([] { (ones({2, 3}) + ones({2})).eval(); }, {"[2, 3]", "[2]"});
  expect_refused([] { matmul(ones({2, 3}), ones({4, 5})).eval(); }, {"3", "4"});
  expect_refused([] { concatenate({ones({2, 3}), ones({2, 4})}).eval(); }, {"[2, 3]", "[2, 4]"});
  expect_refused([] { where(ones({2}, bool_), ones({3}), ones({4})).eval(); }, {"[3]", "[4]"});
  expect_refused([] { linear(ones({2, 3}), ones({5, 4})).eval(); }, {"[2, 3]", "[5, 4]"});
  expect_refused([] { fast::rms_norm(ones({2, 3}), ones({4}), 1e-5f).eval(); }, {"[2, 3]", "[4]"});
  expect_refused([] { reshape(ones({2, 3}), {4}).eval(); }, {"[2, 3]", "[4]"});
  expect_refused([] { broadcast_to(ones({2, 3}), {2, 4}).eval(); }, {"[2, 3]", "[2, 4]"});
}

void axes_out_of_range_are_named() {
  const array a = ones({2, 3});
  for (const int axis : {2, -3, 1000}) {
    const std::string name = std::to_string(axis);
    expect_refused([&] { sum(a, axis).eval(); }, {name});
    expect_refused([&] { softmax(a, axis).eval(); }, {name});
    expect_refused([&] { argmax(a, axis).eval(); }, {name});
    expect_refused([&] { cumsum(a, axis).eval(); }, {name});
    expect_refused([&] { concatenate({a, a}, axis).eval(); }, {name});
    expect_refused([&] { take(a, array({0}), axis).eval(); }, {name});
  }
}

void sizes_that_overflow_are_refused() {
  const ShapeElem huge = ShapeElem{1} << 40;
  expect_refused([&] { broadcast_to(array(1.0f), {huge, huge}).eval(); }, {"1099511627776"});
  expect_refused([&] { zeros({huge, huge}).eval(); }, {"1099511627776"});
  expect_refused([] { zeros({-1, 2}).eval(); }, {"-1"});
}

void indices_out_of_range_are_refused() {
  const array table = ones({3, 4});
  for (const int index : {3, -4, 1 << 30}) {
    expect_refused([&] { take(table, array({0, index}), 0).eval(); }, {std::to_string(index)});
    expect_refused([&] { embedding(array({index, 0}), table).eval(); }, {std::to_string(index)});
    expect_refused(
        [&] {
          take_along_axis(table, array({index}, {1, 1}, int32), 0).eval();
        },
        {"take_along_axis", "out of range"});
  }
}

void attributes_that_make_no_sense_are_refused() {
  expect_refused([] { quantize(ones({2, 60}), 64, 4)[0].eval(); }, {"60", "64"});
  expect_refused([] { quantize(ones({2, 64}), 48, 4)[0].eval(); }, {"48"});
  expect_refused([] { quantize(ones({2, 64}), 64, 7)[0].eval(); }, {"7"});
  expect_refused([] { quantize(ones({64}), 64, 4)[0].eval(); }, {"[64]"});
  const array q = ones({1, 2, 3, 4});
  expect_refused([&] { sdpa(q, q, q, Sdpa{.scale = NAN}).eval(); }, {"scale", "NaN"});
  expect_refused([&] { sdpa(q, q, q, Sdpa{.softcap = NAN}).eval(); }, {"softcap", "NaN"});
  expect_refused([&] { fast::rope(q, 4, false, 1e4f, NAN, 0).eval(); }, {"scale", "NaN"});
  expect_refused([&] { fast::rope(q, 3, false, 1e4f, 1.0f, 0).eval(); }, {"3"});
  expect_refused([&] { fast::rms_norm(q, ones({4}), NAN).eval(); }, {"eps", "NaN"});
  expect_refused([&] { fast::layer_norm(q, std::nullopt, std::nullopt, NAN).eval(); }, {"eps"});
  expect_refused([&] { conv2d(q, ones({4, 1, 1, 2}), {1, 1}, {0, 0}, {1, 1}, 3).eval(); }, {"3"});
  expect_refused([&] { conv2d(q, ones({4, 1, 1, 4}), {0, 1}).eval(); }, {"stride"});
  expect_refused([&] { max_pool2d(q, 9).eval(); }, {"9"});
}

void wrong_ranks_and_dtypes_are_named() {
  const array q = ones({2, 3, 4});
  expect_refused([&] { sdpa(q, q, q, Sdpa{}).eval(); }, {"[2, 3, 4]"});
  const array h = ones({1, 2, 3, 4});
  expect_refused([&] { sdpa(h, h, h, Sdpa{}, ones({7, 3}, bool_)).eval(); }, {"[7, 3]"});
  expect_refused([&] { sdpa(h, h, h, Sdpa{}, std::nullopt, ones({3})).eval(); }, {"[3]", "2"});
  expect_refused([] { matmul(ones({2, 2}, int32), ones({2, 2}, int32)).eval(); }, {"int32"});
  expect_refused([] { embedding(ones({2}), ones({3, 4})).eval(); }, {"float32"});
  expect_refused([] { take(ones({3}), ones({2}), 0).eval(); }, {"float32"});
  expect_refused([] { linear(ones({2, 3}), ones({3})).eval(); }, {"[3]"});
  expect_refused([] { conv2d(ones({2, 3}), ones({2, 3})).eval(); }, {"[2, 3]"});
  expect_refused([] { bitwise_and(ones({2}), ones({2})).eval(); }, {"float32"});
}

void it_works_on_after_errors() {
  const MemoryInfo before = current_backend()->memory();
  for (int i = 0; i < 20; ++i) {
    try {
      (exp(ones({4, 4})) + ones({5})).eval();
    } catch (const Error&) {
    }
    const float got = sum(exp(zeros({4, 4}))).item<float>();
    expect(got == 16.0f, "after {} errors the sum of 16 ones is {}", i + 1, got);
  }
  current_backend()->synchronize();
  const MemoryInfo after = current_backend()->memory();
  expect(after.live_tensors == before.live_tensors, "{} tensors leaked",
         after.live_tensors - before.live_tensors);
}

}  // namespace

std::vector<Behaviour> error_behaviours() {
  return {{"shapes that do not fit are both named", shapes_that_do_not_fit_are_both_named},
          {"axes out of range are named", axes_out_of_range_are_named},
          {"sizes that overflow are refused", sizes_that_overflow_are_refused},
          {"indices out of range are refused", indices_out_of_range_are_refused},
          {"attributes that make no sense are refused", attributes_that_make_no_sense_are_refused},
          {"wrong ranks and dtypes are named", wrong_ranks_and_dtypes_are_named},
          {"it works on after errors", it_works_on_after_errors}};
}

}  // namespace tessera::conformance

// Zero sizes, high ranks, wide broadcasts, and arrays larger than 32-bit indices can count.
#include <cmath>

#include "tessera/conformance/internal/behaviour.h"
#include "tessera/conformance/internal/compare.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

void expect_shape(const array& a, const Shape& want, std::string_view what) {
  const HostTensor& host = a.to_host();
  expect(host.shape() == want, "{}: shape {}, not {}", what, to_string(host.shape()),
         to_string(want));
}

void empty_batches_stay_empty() {
  expect_shape(softmax(zeros({0, 5}), -1), {0, 5}, "softmax");
  expect_shape(fast::rms_norm(zeros({0, 4}), ones({4}), 1e-5f), {0, 4}, "rms_norm");
  expect_shape(fast::layer_norm(zeros({0, 4}), ones({4}), zeros({4}), 1e-5f), {0, 4}, "layer_norm");
  expect_shape(linear(zeros({0, 4}), zeros({3, 4})), {0, 3}, "linear");
  expect_shape(matmul(zeros({0, 2, 3}), zeros({0, 3, 4})), {0, 2, 4}, "matmul");
  const array q = zeros({0, 2, 3, 4});
  expect_shape(sdpa(q, q, q, Sdpa{}), {0, 2, 3, 4}, "sdpa");
  expect_shape(fast::rope(q, 4, false, 1e4f, 1.0f, 0), {0, 2, 3, 4}, "rope");
  expect_shape(embedding(zeros({0}, int32), ones({3, 4})), {0, 4}, "embedding");
  expect_shape(conv2d(zeros({0, 5, 5, 2}), ones({3, 2, 2, 2})), {0, 4, 4, 3}, "conv2d");
  expect_shape(max_pool2d(zeros({0, 4, 4, 2}), 2), {0, 2, 2, 2}, "max_pool2d");
  expect_shape(group_norm(zeros({0, 5, 4}), 2), {0, 5, 4}, "group_norm");
  expect_shape(mean_pool(zeros({0, 5, 4}), zeros({0, 5}, bool_)), {0, 4}, "mean_pool");
  expect_shape(cumsum(zeros({0, 3}), 1), {0, 3}, "cumsum");
  expect_shape(sort(zeros({0, 3}), 1), {0, 3}, "sort");
  const std::vector<array> w = quantize(ones({2, 64}), 64, 4);
  expect_shape(quantized_matmul(zeros({0, 64}), w[0], w[1], w[2], true, 64, 4), {0, 2},
               "quantized_matmul");
  expect_shape(zeros({0, 3}) + zeros({1, 3}), {0, 3}, "add");
  expect_shape(concatenate({zeros({0, 2}), zeros({3, 2})}), {3, 2}, "concatenate");
  expect_refused([] { (zeros({0, 3}) + zeros({2, 3})).eval(); }, {"[0, 3]", "[2, 3]"});
}

void sums_over_nothing_are_the_identity() {
  expect(sum(zeros({0})).item<float>() == 0.0f, "the sum of nothing is not 0");
  expect(prod(zeros({0})).item<float>() == 1.0f, "the product of nothing is not 1");
  expect(matmul(zeros({2, 0}), zeros({0, 3})).data<float>()[5] == 0.0f,
         "a product over nothing is not 0");
  expect_shape(max(zeros({0, 2}), -1), {0}, "max of no rows");
  expect_shape(matmul(zeros({2, 0}), zeros({0, 3})), {2, 3}, "a product over nothing");
  expect(matmul(zeros({0}), zeros({0})).item<float>() == 0.0f, "[] times [] is not 0");
  expect(sum(sum(zeros({2, 0}), -1)).item<float>() == 0.0f, "sums of empty rows are not 0");
  expect_refused([] { matmul(zeros({0, 3}), zeros({4, 0})).eval(); }, {"3", "4"});
  expect_refused([] { reshape(zeros({1, 0, 32, 64}), {1, 0, -1}).eval(); }, {"-1"});
  expect_refused([] { max(zeros({2, 0}), -1).eval(); }, {"axis 1"});
  expect_refused([] { argmin(zeros({2, 0}), -1).eval(); }, {"axis 1"});
}

template <class T>
void expect_values(const array& got, std::vector<T> want, std::string_view what) {
  const ShapeElem size = static_cast<ShapeElem>(want.size());
  expect_equal(got, HostTensor::from(std::span<const T>(want), Shape{size}), what);
}

// A running sum keeps the dtype, as MLX's does, but for bool; sums of narrow integers are wide.
void narrow_sums_do_not_wrap() {
  const array bytes = array({200, 100, 50}, {3}, uint8), signs = array({100, 100, 50}, {3}, int8);
  expect_values<std::uint8_t>(cumsum(bytes), {200, 44, 94}, "cumsum of uint8");
  expect_values<std::int64_t>(cumsum(astype(bytes, int64)), {200, 300, 350}, "cumsum as int64");
  expect_values<std::int32_t>(cumsum(signs, 0, false, true, int32), {100, 200, 250},
                              "cumsum of int8 as int32");
  expect_values<std::int64_t>(cumsum(array({1 << 30, 1 << 30, 5}, {3}, int64)),
                              {1073741824, 2147483648, 2147483653}, "cumsum of int64");
  expect_values<std::int32_t>(cumsum(array({true, true, false})), {1, 2, 2}, "cumsum of bool");
  expect(sum(bytes).item<std::uint32_t>() == 350, "a sum of uint8 wraps");
  expect(sum(signs).item<std::int32_t>() == 250, "a sum of int8 wraps");
  expect(sum(ones({128}, bool_)).item<std::int32_t>() == 128, "128 times true is not 128");
  expect(cumsum(ones({128}, bool_)).data<std::int32_t>()[127] == 128, "true does not count to 128");
  expect(sum(ones({350}, uint8)).item<std::uint32_t>() == 350, "350 ones do not sum to 350");
  for (const Dtype dtype : {float16, bfloat16}) {
    const array many = ones({4096}, dtype);
    expect(astype(sum(many), float32).item<float>() == 4096.0f, "4096 ones in {} sum to {}",
           to_string(dtype), astype(sum(many), float32).item<float>());
    const array running = astype(cumsum(many), float32);
    expect(running.data<float>()[4095] == 4096.0f, "4096 ones in {} run up to {}", to_string(dtype),
           running.data<float>()[4095]);
  }
}

void ranks_to_eight_broadcast() {
  const array wide = ones({1, 1, 2, 1, 1, 6}) + ones({1, 6, 1});
  expect_shape(wide, {1, 1, 2, 1, 6, 6}, "rank 6 and rank 3");
  expect(sum(wide).item<float>() == 144.0f, "72 twos sum to {}", sum(wide).item<float>());
  const array eight = arange(0, 256, 1, float32);
  const Shape twos(8, 2);
  const array x = reshape(eight, twos);
  const array y = transpose(x) * x;
  expect(sum(transpose(x)).item<float>() == 32640.0f, "a transposed rank 8 lost elements");
  // Element i of y is i times i with its eight bits reversed.
  const HostTensor host = y.to_host();
  for (int i = 0; i < 256; ++i) {
    int reversed = 0;
    for (int bit = 0; bit < 8; ++bit) reversed |= (i >> bit & 1) << (7 - bit);
    expect(host.values<float>()[i] == static_cast<float>(i * reversed),
           "rank 8: element {} is {}, not {}", i, host.values<float>()[i], i * reversed);
  }
}

void four_billion_elements_by_broadcast() {
  const array x = broadcast_to(array({0, 1, 2, 3}, {4}, uint8), {ShapeElem{1} << 30, 4});
  expect(x.size() == 4294967296, "2^30 x 4 has {} elements", x.size());
  const array corner = slice(x, {(1 << 30) - 2, 1}, {1 << 30, 4});
  const std::uint8_t want[] = {1, 2, 3, 1, 2, 3};
  expect_equal(corner, HostTensor::from(std::span<const std::uint8_t>(want), Shape{2, 3}),
               "the last corner");
}

void sizes_past_63_bits_are_refused() {
  const ShapeElem huge = ShapeElem{1} << 61;
  expect_refused([&] { zeros({huge, 2}).eval(); }, {"2^63"});
  expect_refused([&] { broadcast_to(array(1.0f), {huge, 1, 1, 4}).eval(); }, {"2^63"});
}

// The row is exactly 0 and the others are near those of `open`, which sees the keys.
void expect_hidden(const array& got, const array& open, ShapeElem row, const std::string& what) {
  const array rows = reshape(arange(0, 4), {1, 1, 4, 1});
  const array want = where(rows == static_cast<int>(row), zeros({1}, open.dtype()), open);
  const auto wrong = difference(got.to_host(), want.to_host(), {1, 1e-6}, false);
  expect(!wrong.has_value(), "{}: {}", what, wrong.value_or(""));
  const array hidden = slice(got, {0, 0, row, 0}, {got.shape(0), got.shape(1), row + 1, 2});
  expect(!any(hidden != 0.0f).item<bool>(), "{}: the hidden row is not 0", what);
}

// By a bool mask, an additive one, causality with a mask, and for want of keys.
void masked_rows_are_zero() {
  const auto attend = fast::scaled_dot_product_attention;
  const array keep = broadcast_to(reshape(array({true, false, true, true}), {4, 1}), {4, 4});
  const array added = where(keep, array(0.0f), array(-INFINITY));
  const array not_first = slice_update(ones({4, 4}, bool_), array(false), {0, 0}, {1, 1});
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const ShapeElem heads : {1, 8}) {
      const std::string what = fmt::format("{} heads in {}", heads, to_string(dtype));
      const array one = reshape(arange(0, 8, 1, float32) * 0.125f, {1, 1, 4, 2});
      const array x = broadcast_to(astype(one, dtype), {1, heads, 4, 2});
      const array open = attend(x, x, x, 1.0f, "", std::nullopt, std::nullopt);
      const array causal = attend(x, x, x, 1.0f, "causal", std::nullopt, std::nullopt);
      expect_hidden(attend(x, x, x, 1.0f, "", keep, std::nullopt), open, 1, what + ", bool mask");
      expect_hidden(attend(x, x, x, 1.0f, "", added, std::nullopt), open, 1, what + ", added mask");
      expect_hidden(sdpa(x, x, x, Sdpa{.scale = 1, .causal = true}, not_first), causal, 0,
                    what + ", causal without key 0");
      const array none = zeros({1, heads, 0, 2}, dtype);
      expect_equal(sdpa(x, none, none, Sdpa{.scale = 1}), zeros({1, heads, 4, 2}, dtype).to_host(),
                   what + ", no keys");
    }
  }
}

}  // namespace

std::vector<Behaviour> shape_behaviours() {
  return {{"empty batches stay empty", empty_batches_stay_empty},
          {"sums over nothing are the identity", sums_over_nothing_are_the_identity},
          {"narrow sums do not wrap", narrow_sums_do_not_wrap},
          {"ranks to eight broadcast", ranks_to_eight_broadcast},
          {"four billion elements by broadcast", four_billion_elements_by_broadcast},
          {"sizes past 63 bits are refused", sizes_past_63_bits_are_refused},
          {"fully masked attention rows are zero", masked_rows_are_zero}};
}

}  // namespace tessera::conformance

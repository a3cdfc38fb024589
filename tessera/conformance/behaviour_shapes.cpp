// Zero sizes, high ranks, wide broadcasts, and arrays larger than 32-bit indices can count.
#include "tessera/conformance/internal/behaviour.h"
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
  expect_refused([] { max(zeros({2, 0}), -1).eval(); }, {"axis 1"});
  expect_refused([] { argmin(zeros({2, 0}), -1).eval(); }, {"axis 1"});
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

void masked_rows_are_zero() {
  for (const Dtype dtype : {float32, float16, bfloat16}) {
    for (const ShapeElem heads : {1, 8}) {
      const array x =
          broadcast_to(astype(reshape(arange(0, 8, 1, float32) * 0.125f, {1, 1, 4, 2}), dtype),
                       {1, heads, 4, 2});
      const array rows = reshape(array({true, false, true, true}), {1, 1, 4, 1});
      const array mask = broadcast_to(rows, {1, 1, 4, 4});
      const array masked = fast::scaled_dot_product_attention(x, x, x, 1.0f, "", mask);
      const array plain = fast::scaled_dot_product_attention(x, x, x, 1.0f);
      const array want = where(rows, plain, zeros({1}, dtype));
      expect_equal(masked, want.to_host(), fmt::format("{} heads in {}", heads, to_string(dtype)));
    }
  }
}

}  // namespace

std::vector<Behaviour> shape_behaviours() {
  return {{"empty batches stay empty", empty_batches_stay_empty},
          {"sums over nothing are the identity", sums_over_nothing_are_the_identity},
          {"ranks to eight broadcast", ranks_to_eight_broadcast},
          {"four billion elements by broadcast", four_billion_elements_by_broadcast},
          {"fully masked attention rows are zero", masked_rows_are_zero}};
}

}  // namespace tessera::conformance

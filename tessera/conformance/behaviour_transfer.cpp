// Bytes go in and come out as they were.
#include <cmath>
#include <cstring>
#include <numeric>

#include "tessera/backend/backend.h"
#include "tessera/conformance/internal/behaviour.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

constexpr Dtype kDtypes[] = {bool_, uint8, uint16, uint32,  uint64,  int8,
                             int16, int32, int64,  float16, float32, bfloat16};

HostTensor counted_bytes(const Shape& shape, Dtype dtype) {
  HostTensor t(shape, dtype);
  for (std::size_t i = 0; i < t.nbytes(); ++i) {
    t.mutable_data()[i] = static_cast<std::byte>(dtype == bool_ ? i % 2 : i * 37 + i / 256);
  }
  return t;
}

void every_dtype_keeps_its_bits() {
  for (const Dtype dtype : kDtypes) {
    for (const ShapeElem size : {0, 1, 7, 8, 9, 31, 33, 255, 1025}) {
      const HostTensor host = counted_bytes({size}, dtype);
      expect_equal(array(host), host, fmt::format("{} of {}", size, to_string(dtype)));
    }
  }
}

void every_rank_keeps_its_bits() {
  Shape shape;
  for (int rank = 0; rank <= 8; ++rank) {
    const HostTensor host = counted_bytes(shape, float32);
    expect_equal(array(host), host, fmt::format("rank {}", rank));
    shape.push_back(rank % 3 + 1);
  }
}

void signalling_bits_survive_moves() {
  // A NaN's payload, -0 and denormals are bits like any other to an op that only moves them.
  const std::uint32_t bits[] = {0x7f800001, 0xffc12345, 0x80000000,
                                0x00000001, 0x807fffff, 0x7f800000};
  HostTensor host(Shape{2, 3}, float32);
  std::memcpy(host.mutable_data(), bits, sizeof(bits));
  const array a(host);
  expect_equal(transpose(transpose(a)), host, "transposed twice");
  expect_equal(concatenate({slice(a, {0, 0}, {1, 3}), slice(a, {1, 0}, {2, 3})}), host,
               "taken apart and put together");
  expect_equal(take(a, array({0, 1}), 0), host, "taken by index");
  expect_equal(reshape(reshape(a, {3, 2}), {2, 3}), host, "reshaped");
}

void host_memory_may_go_at_once() {
  std::vector<array> arrays;
  for (int i = 0; i < 20; ++i) {
    HostTensor host(Shape{1000}, int32);
    for (int k = 0; k < 1000; ++k) {
      const int value = 1000 * i + k;
      std::memcpy(host.mutable_data() + 4 * k, &value, 4);
    }
    arrays.emplace_back(std::move(host));
  }
  for (int i = 0; i < 20; ++i) {
    const std::int32_t last = (arrays[i] + 1).data<std::int32_t>()[999];
    expect(last == 1000 * i + 1000, "array {} ends in {}", i, last);
  }
}

void reading_twice_gives_the_same() {
  const BackendPtr backend = current_backend();
  const TensorPtr tensor = backend->from_host(counted_bytes({3, 50}, int32));
  std::future<HostTensor> first = backend->read(tensor);
  std::future<HostTensor> second = backend->read(tensor);
  expect_equal(array(second.get()), first.get(), "the second reading");
}

}  // namespace

std::vector<Behaviour> transfer_behaviours() {
  return {{"every dtype keeps its bits", every_dtype_keeps_its_bits},
          {"every rank keeps its bits", every_rank_keeps_its_bits},
          {"bits survive ops that only move", signalling_bits_survive_moves},
          {"host memory may go at once", host_memory_may_go_at_once},
          {"reading twice gives the same", reading_twice_gives_the_same}};
}

}  // namespace tessera::conformance

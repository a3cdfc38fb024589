// Random bits: the words of a Threefry counter, each on its own.
#include "tessera/ops/random.h"

#include <cstring>

#include "tessera/backends/cpu/kernel.h"

namespace tessera::cpu {

namespace {

TensorPtr random_bits_kernel(Context& ctx, const RandomBits& op, Inputs in, const TensorSpec& out) {
  const CpuTensorPtr key_tensor = ctx.contiguous(in[0]);
  const std::array<std::uint32_t, 2> key = {key_tensor->data<std::uint32_t>()[0],
                                            key_tensor->data<std::uint32_t>()[1]};
  CpuTensorPtr y = ctx.make(out);
  const std::int64_t bytes = y->size() * op.width;
  const std::int64_t whole = bytes / 4;  // words that fit; the last one may not
  const std::int64_t words = (bytes + 3) / 4;
  const std::int64_t pairs = words / 2;
  const std::int64_t first = words - pairs;
  auto* data = reinterpret_cast<std::uint32_t*>(y->bytes());
  const auto hash = [&](std::int64_t a, std::int64_t b) {
    return detail::threefry(key, {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
  };
  const std::int64_t full_pairs = std::max<std::int64_t>(0, whole - first);
  ctx.pool.parallel_for(full_pairs, 2048, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto pair = hash(i, first + i);
      data[i] = pair[0];
      data[first + i] = pair[1];
    }
  });
  const auto write = [&](std::int64_t at, std::uint32_t word) {
    std::memcpy(data + at, &word,
                static_cast<std::size_t>(std::min<std::int64_t>(4, bytes - 4 * at)));
  };
  for (std::int64_t i = full_pairs; i < first; ++i) {
    const auto pair = hash(i, i < pairs ? first + i : 0);
    write(i, pair[0]);
    if (i < pairs) write(first + i, pair[1]);
  }
  return y;
}

}  // namespace

void register_random(KernelRegistry& table) {
  table.add<RandomBits, random_bits_kernel>();
}

}  // namespace tessera::cpu

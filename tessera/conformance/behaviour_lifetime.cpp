// Tensors free themselves with their last user, and the figures of memory() say so.
#include "tessera/backend/registry.h"
#include "tessera/conformance/internal/behaviour.h"
#include "tessera/ops/ops.h"

namespace tessera::conformance {

namespace {

MemoryInfo settled() {
  current_backend()->synchronize();
  return current_backend()->memory();
}

void freed_with_the_last_user() {
  const MemoryInfo before = settled();
  {
    const array a = ones({64, 64});
    const array b = exp(a) + a;
    b.eval();
    expect(settled().live_tensors > before.live_tensors, "live_tensors does not count");
  }
  const MemoryInfo after = settled();
  expect(after.live_tensors == before.live_tensors, "{} tensors outlive their last user",
         after.live_tensors - before.live_tensors);
  expect(after.active_bytes == before.active_bytes, "{} bytes outlive their last user",
         after.active_bytes - before.active_bytes);
}

void a_copy_keeps_the_value() {
  auto original = std::make_unique<array>(arange(0, 100, 1, float32) * 2.0f);
  original->eval();
  const array copy = *original;
  original.reset();
  expect(copy.data<float>()[99] == 198.0f, "a copy lost the value");
}

void a_view_keeps_what_it_shows() {
  auto original = std::make_unique<array>(arange(0, 1000, 1, float32) + 1.0f);
  const array view = slice(transpose(reshape(*original, {10, 100})), {90, 1}, {91, 3}, {1, 1});
  view.eval();
  original.reset();
  const array other = zeros({1000}) - 1.0f;  // would take the memory if it were free
  other.eval();
  expect(view.data<float>()[0] == 191.0f && view.data<float>()[1] == 291.0f,
         "a view shows {} and {}, not 191 and 291", view.data<float>()[0], view.data<float>()[1]);
}

void what_was_read_outlives_the_tensor() {
  HostTensor host;
  {
    const array a = arange(0, 4096, 1, int32) + 1;
    host = a.to_host();
  }
  const array other = zeros({4096}, int32) - 7;
  other.eval();
  expect(host.values<std::int32_t>()[4095] == 4096, "the bytes that were read changed later");
}

void memory_is_flat_over_50_rounds() {
  array state = zeros({32, 128});
  const array w = ones({128, 128}) * (1.0f / 128);
  MemoryInfo first;
  for (int round = 0; round < 50; ++round) {
    state = softmax(matmul(state, w) + 1.0f, -1);
    state.eval();
    const MemoryInfo now = settled();
    if (round == 1) first = now;
    if (round < 2) continue;
    expect(now.live_tensors == first.live_tensors, "round {}: {} live tensors, {} before", round,
           now.live_tensors, first.live_tensors);
    expect(now.active_bytes == first.active_bytes, "round {}: {} bytes, {} before", round,
           now.active_bytes, first.active_bytes);
  }
}

void peak_rises_and_is_reset() {
  const BackendPtr backend = current_backend();
  backend->synchronize();
  backend->reset_peak_memory();
  const std::uint64_t before = settled().active_bytes;
  // A value for each element: what a broadcast repeats, a backend may compute once.
  (exp(arange(0, 1 << 18, 1, float32) * 1e-6f) + 1.0f).eval();
  expect(settled().peak_bytes >= before + (1u << 20), "the peak misses a megabyte");
  backend->reset_peak_memory();
  const MemoryInfo now = settled();
  expect(now.peak_bytes < before + (1u << 20), "reset_peak_memory() left the peak at {}",
         now.peak_bytes);
}

void a_cleared_cache_is_empty() {
  (exp(ones({1 << 18})) + 1.0f).eval();
  current_backend()->synchronize();
  current_backend()->clear_cache();
  expect(settled().cache_bytes == 0, "clear_cache() left {} bytes", settled().cache_bytes);
}

}  // namespace

std::vector<Behaviour> lifetime_behaviours() {
  return {{"tensors are freed with the last user", freed_with_the_last_user},
          {"a copy keeps the value", a_copy_keeps_the_value},
          {"a view keeps what it shows", a_view_keeps_what_it_shows},
          {"what was read outlives the tensor", what_was_read_outlives_the_tensor},
          {"memory is flat over 50 rounds", memory_is_flat_over_50_rounds},
          {"the peak rises and is reset", peak_rises_and_is_reset},
          {"a cleared cache is empty", a_cleared_cache_is_empty}};
}

}  // namespace tessera::conformance

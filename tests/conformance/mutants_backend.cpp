// Faults in lifetime, memory figures, transfer and threading.
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "tessera/ops/ops.h"
#include "tests/conformance/mutant.h"

namespace tessera::testing {

namespace {

/// A fault in one op that its own cases need not see.
template <OpStruct Op>
Mutant broken(std::string name, std::string group, std::function<void(Call&)> run) {
  return wrong<Op>(std::move(name), std::move(run), std::move(group));
}

HostTensor copy_of(const HostTensor& t) {
  HostTensor out(t.shape(), t.dtype());
  std::memcpy(out.mutable_data(), t.data(), t.nbytes());
  return out;
}

}  // namespace

std::vector<Mutant> backend_mutants() {
  std::vector<Mutant> all;
  all.push_back(broken<Add>("add keeps every result for ever", "behaviour/lifetime",
                            [kept = std::make_shared<std::vector<TensorPtr>>(),
                             mutex = std::make_shared<std::mutex>()](Call& c) {
                              c.run();
                              const std::lock_guard lock(*mutex);
                              kept->push_back(c.output());
                            }));
  all.push_back(broken<Multiply>(
      "multiply gives the result before, of the same shape", "behaviour/sharing",
      [last = std::make_shared<std::map<std::string, TensorPtr>>(),
       mutex = std::make_shared<std::mutex>()](Call& c) {
        c.run();
        const std::lock_guard lock(*mutex);
        const std::string key = to_string(c.spec().shape) + std::string(to_string(c.spec().dtype));
        std::swap((*last)[key], c.output());
        if (!c.output()) c.output() = (*last)[key];
      }));
  all.push_back(
      broken<Linear>("linear mixes up threads", "behaviour/threads",
                     [last = std::make_shared<std::atomic<std::thread::id>>()](Call& c) {
                       const std::thread::id before = last->exchange(std::this_thread::get_id());
                       c.run();
                       if (before != std::thread::id() && before != std::this_thread::get_id()) {
                         c.change_floats(c.output(), [](float x) { return x + 1; });
                       }
                     }));
  all.push_back(broken<Sum>("sum is not the same twice", "behaviour/sharing",
                            [turn = std::make_shared<std::atomic<int>>(0)](Call& c) {
                              c.run();
                              if (turn->fetch_add(1) % 2 == 1) {
                                c.change_floats(c.output(),
                                                [](float x) { return x * (1 + 1e-7f); });
                              }
                            }));
  all.push_back({.name = "memory() counts one tensor too many after a while",
                 .group = "behaviour/lifetime",
                 .memory = [calls = std::make_shared<std::atomic<int>>(0)](MemoryInfo m) {
                   m.live_tensors += static_cast<std::uint64_t>(calls->fetch_add(1) / 3);
                   return m;
                 }});
  all.push_back({.name = "memory() gives no live tensors",
                 .group = "behaviour/lifetime",
                 .memory = [](MemoryInfo m) {
                   m.live_tensors = 0;
                   return m;
                 }});
  all.push_back(
      {.name = "memory() gives no peak", .group = "behaviour/lifetime", .memory = [](MemoryInfo m) {
         m.peak_bytes = 0;
         return m;
       }});
  all.push_back({.name = "clear_cache() does nothing",
                 .group = "behaviour/lifetime",
                 .ignores_clear_cache = true});
  all.push_back({.name = "reset_peak_memory() does nothing",
                 .group = "behaviour/lifetime",
                 .ignores_reset_peak = true});
  all.push_back({.name = "from_host cuts bytes behind whole vectors",
                 .group = "behaviour/transfer",
                 .from_host = [](Backend& sound, HostTensor host) {
                   HostTensor cut(host.shape(), host.dtype());
                   std::memcpy(cut.mutable_data(), host.data(), host.nbytes() / 16 * 16);
                   return sound.from_host(std::move(cut));
                 }});
  all.push_back({.name = "from_host makes NaN canonical",
                 .group = "behaviour/transfer",
                 .from_host = [](Backend& sound, HostTensor host) {
                   if (host.dtype() != float32) return sound.from_host(std::move(host));
                   HostTensor plain = copy_of(host);
                   auto* bits = reinterpret_cast<std::uint32_t*>(plain.mutable_data());
                   for (std::int64_t i = 0; i < plain.size(); ++i) {
                     if ((bits[i] & 0x7fffffff) > 0x7f800000) bits[i] = 0x7fc00000;
                   }
                   return sound.from_host(std::move(plain));
                 }});
  all.push_back({.name = "read flushes denormals",
                 .group = "behaviour/transfer",
                 .read = [](HostTensor host) {
                   if (host.dtype() != float32) return host;
                   auto* bits = reinterpret_cast<std::uint32_t*>(host.mutable_data());
                   for (std::int64_t i = 0; i < host.size(); ++i) {
                     if ((bits[i] & 0x7f800000) == 0) bits[i] &= 0x80000000;
                   }
                   return host;
                 }});
  return all;
}

}  // namespace tessera::testing

#include "tessera/backends/cpu/isa/isa.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "tessera/core/internal/fail.h"

namespace tessera::cpu::isa {
namespace {

std::atomic<const Kernels*> table_in_use{nullptr};

bool is_available(Isa isa) {
  switch (isa) {
    case Isa::baseline: return true;
    case Isa::avx2:
#if defined(__x86_64__)
      // The builtin also asks the system whether it saves the wide registers.
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("f16c");
#else
      return false;
#endif
  }
  return false;
}

std::string names_of(const std::vector<Isa>& isas) {
  std::string names;
  for (Isa isa : isas) names.append(names.empty() ? "" : ", ").append(to_string(isa));
  return names;
}

}  // namespace

std::string_view to_string(Isa isa) {
  return isa == Isa::avx2 ? "avx2" : "baseline";
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (Isa isa : {Isa::baseline, Isa::avx2}) {
    if (is_available(isa)) isas.push_back(isa);
  }
  return isas;
}

Isa best_isa() {
  const std::vector<Isa> isas = available_isas();
  const char* wanted = std::getenv("TESSERA_CPU_ISA");
  if (wanted == nullptr || *wanted == '\0') return isas.back();
  const auto found =
      std::find_if(isas.begin(), isas.end(), [&](Isa isa) { return to_string(isa) == wanted; });
  if (found == isas.end()) {
    fail(ErrorCode::invalid_argument, "TESSERA_CPU_ISA",
         "\"{}\" is not an instruction set that this processor can run; choose one of: {}", wanted,
         names_of(isas));
  }
  return *found;
}

const Kernels& kernels(Isa isa) {
  if (!is_available(isa)) {
    fail(ErrorCode::invalid_argument, "kernels", "this processor cannot run {}; it can run: {}",
         to_string(isa), names_of(available_isas()));
  }
#if defined(__x86_64__)
  if (isa == Isa::avx2) return kAvx2Kernels;
#endif
  return kBaselineKernels;
}

const Kernels& kernels() {
  const Kernels* table = table_in_use.load(std::memory_order_acquire);
  if (table != nullptr) return *table;
  // Threads that race here find the same table.
  table = &kernels(best_isa());
  table_in_use.store(table, std::memory_order_release);
  return *table;
}

void use_isa(Isa isa) {
  table_in_use.store(&kernels(isa), std::memory_order_release);
}

}  // namespace tessera::cpu::isa

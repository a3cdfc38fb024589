// A module for plugin_test: whole, or with the one fault that its build asks for.
#include <stdexcept>

#include "tessera/backend/module.h"
#include "tessera/core/error.h"

namespace {

using namespace tessera;

class NullBackend final : public Backend {
 public:
  std::string_view name() const override { return TEST_MODULE_NAME; }
  BackendInfo info() const override { return {TEST_MODULE_NAME, "nothing", {}}; }
  TensorPtr from_host(HostTensor host) override {
    return std::make_shared<Tensor>(TensorSpec{host.shape(), host.dtype()});
  }
  std::future<HostTensor> read(TensorPtr tensor) override {
    std::promise<HostTensor> promise;
    promise.set_value(HostTensor(tensor->shape(), tensor->dtype()));
    return promise.get_future();
  }
  MemoryInfo memory() const override { return {}; }
  void reset_peak_memory() override {}
  void clear_cache() override {}
  bool native(OpId) const override { return false; }
  void run(const OpRef& op, std::span<TensorPtr>, std::span<const TensorSpec>,
           std::span<TensorPtr>) override {
    throw Error(ErrorCode::unsupported_op, std::string(op.name()), "thrown inside the module");
  }
};

BackendPtr make([[maybe_unused]] const BackendOptions& options) {
#if defined(FAULT_THROWS_ERROR)
  throw Error(ErrorCode::device_lost, "the device", "is on fire");
#elif defined(FAULT_THROWS_STANDARD)
  throw std::runtime_error("no driver");
#elif defined(FAULT_THROWS_NUMBER)
  throw 7;
#elif defined(FAULT_MAKES_NOTHING)
  return nullptr;
#else
  log(LogLevel::info, "made with " + std::to_string(options.threads) + " threads");
  return std::make_shared<NullBackend>();
#endif
}

constexpr BackendModule description() {
  BackendModule m{{'t', 'e', 's', 's', 'e', 'r', 'a', '\0'},
                  kModuleAbi,
                  0,
                  kVersion,
                  module_toolchain(),
                  op_table_hash(),
                  module_type_sizes(),
                  TEST_MODULE_NAME,
                  make,
                  set_log_callback};
#if defined(FAULT_MAGIC)
  m.magic[0] = 'T';
#elif defined(FAULT_ABI)
  m.abi = kModuleAbi + 1;
  m.version = "9.8.7";
  m.toolchain = nullptr;  // in another ABI's place for it there may be anything
#elif defined(FAULT_VERSION)
  m.version = "0.0.1";
#elif defined(FAULT_TOOLCHAIN)
  m.toolchain = "libfoo++";
#elif defined(FAULT_OP_TABLE)
  m.op_table ^= 1;
#elif defined(FAULT_TYPES)
  m.type_sizes += 1;
#elif defined(FAULT_NAME)
  m.name = "somebody_else";
#elif defined(FAULT_TAKEN)
  m.name = "cpu";
#endif
  return m;
}

}  // namespace

#if !defined(FAULT_NO_SYMBOL)
extern "C" {
__attribute__((visibility("default"))) extern const BackendModule tessera_backend_module;
constexpr BackendModule tessera_backend_module = description();
}
#endif

// The backend itself: transfer, memory figures and the table of kernels.
#include <tessera/backend/module.h>

#include "tensor.h"

namespace my_backend {

namespace {

Kernels all_kernels() {
  Kernels kernels{};
  add_moves(kernels);
  add_elementwise(kernels);
  add_reductions(kernels);
  add_model_ops(kernels);
  add_quantized(kernels);
  return kernels;
}

class MyBackend final : public Backend {
 public:
  std::string_view name() const override { return "my_backend"; }
  BackendInfo info() const override { return {"my_backend", "host processor, plain loops", {}}; }

  TensorPtr from_host(HostTensor host) override {
    // The host's memory serves as it is, for no kernel writes to an input.
    auto bytes = std::const_pointer_cast<std::byte>(host.storage());
    return std::make_shared<DenseTensor>(TensorSpec{host.shape(), host.dtype()}, std::move(bytes),
                                         counters_);
  }

  std::future<HostTensor> read(TensorPtr tensor) override {
    // Every op has run by the time run() returns, so the value is there.
    std::promise<HostTensor> promise;
    promise.set_value(HostTensor(tensor->shape(), tensor->dtype(), dense(tensor).storage()));
    return promise.get_future();
  }

  MemoryInfo memory() const override {
    return {counters_->active, counters_->peak, 0, counters_->live};
  }
  void reset_peak_memory() override { counters_->peak = counters_->active.load(); }
  void clear_cache() override {}

  // What has no kernel here and is optional is lowered to ops that have one.
  bool native(OpId id) const override { return kernels_[static_cast<std::size_t>(id)] != nullptr; }

  void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
           std::span<TensorPtr> outputs) override {
    const Kernel kernel = kernels_[static_cast<std::size_t>(op.id())];
    outputs[0] = kernel(Context{counters_}, op.get(), inputs, specs[0]);
  }

 private:
  const std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  const Kernels kernels_ = all_kernels();
};

BackendPtr make(const BackendOptions&) {
  return std::make_shared<MyBackend>();
}

}  // namespace

}  // namespace my_backend

TESSERA_BACKEND_MODULE("my_backend", my_backend::make)

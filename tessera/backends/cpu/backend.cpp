#include "tessera/backends/cpu/backend.h"

#include <mutex>

#include "tessera/backends/cpu/internal/kernel_list.h"
#include "tessera/backends/cpu/kernel.h"
#include "tessera/core/internal/fail.h"
#include "tessera/ops/op_table.h"

namespace tessera::cpu {

namespace {

const KernelRegistry& op_kernels() {
  static const KernelRegistry table = [] {
    KernelRegistry t;
    register_all(t);
    for (const OpInfo* op : op_table()) {
      if (op->required && !t.find(op->id)) {
        fail(ErrorCode::unsupported_op, "cpu", "no kernel for the required op {}", op->name);
      }
    }
    return t;
  }();
  return table;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const BackendOptions& options)
      : pool_(std::make_shared<ThreadPool>(options.threads)), kernels_(op_kernels()) {}

  std::string_view name() const override { return "cpu"; }

  BackendInfo info() const override {
    return {"cpu", "host processor", {{"threads", std::to_string(pool()->size())}}};
  }

  void set_num_threads(int threads) override {
    auto fresh = std::make_shared<ThreadPool>(threads);
    const std::lock_guard lock(pool_mutex_);
    pool_ = std::move(fresh);  // running kernels keep the old one until they end
  }

  TensorPtr from_host(HostTensor host) override {
    TensorSpec spec{host.shape(), host.dtype()};
    Strides strides = row_major_strides(spec.shape);
    return std::make_shared<CpuTensor>(std::move(spec), std::make_shared<Buffer>(host.storage()), 0,
                                       std::move(strides), allocator_);
  }

  std::future<HostTensor> read(TensorPtr tensor) override {
    std::promise<HostTensor> promise;
    try {
      const std::shared_ptr<ThreadPool> pool = this->pool();
      const Context ctx{*pool, allocator_};
      CpuTensorPtr t = ctx.contiguous(tensor);
      std::shared_ptr<const std::byte> bytes(t->buffer(), t->bytes());
      promise.set_value(HostTensor(t->shape(), t->dtype(), std::move(bytes)));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
    return promise.get_future();
  }

  MemoryInfo memory() const override { return allocator_->info(); }
  void reset_peak_memory() override { allocator_->reset_peak(); }
  void clear_cache() override { allocator_->clear_cache(); }

  bool native(OpId id) const override { return kernels_.find(id) != nullptr; }

  void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
           std::span<TensorPtr> outputs) override {
    const std::shared_ptr<ThreadPool> pool = this->pool();
    Context ctx{*pool, allocator_};
    outputs[0] = kernels_.find(op.id())(ctx, op.get(), inputs, specs[0]);
  }

 private:
  std::shared_ptr<ThreadPool> pool() const {
    const std::lock_guard lock(pool_mutex_);
    return pool_;
  }

  mutable std::mutex pool_mutex_;
  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<Allocator> allocator_ = std::make_shared<Allocator>();
  const KernelRegistry& kernels_;
};

}  // namespace

BackendPtr make_cpu_backend(const BackendOptions& options) {
  return std::make_shared<CpuBackend>(options);
}

}  // namespace tessera::cpu

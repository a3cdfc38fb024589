#include "tessera/backends/cpu/backend.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "tessera/backends/cpu/fused.h"
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

// What one op reads and writes.
class Traffic {
 public:
  explicit Traffic(std::span<const TensorPtr> inputs) {
    for (const TensorPtr& t : inputs) {
      bytes_ += distinct_bytes(as_cpu(t));
      buffers_.push_back(as_cpu(t).buffer().get());
    }
  }
  std::uint64_t bytes(const OpInfo& op, std::span<const TensorPtr> outputs) const {
    std::uint64_t written = 0;
    for (const TensorPtr& t : outputs) {
      const bool shared =
          std::find(buffers_.begin(), buffers_.end(), as_cpu(t).buffer().get()) != buffers_.end();
      // A view of an input moves nothing; an elementwise op that writes over one does.
      if (shared && !op.elementwise && op.id != OpId::Fused) return 0;
      written += distinct_bytes(as_cpu(t));
    }
    return bytes_ + written;
  }

 private:
  static std::uint64_t distinct_bytes(const CpuTensor& t) {
    std::uint64_t bytes = t.dtype().size();
    for (std::size_t i = 0; i < t.shape().size(); ++i) {
      if (t.strides()[i] != 0) bytes *= static_cast<std::uint64_t>(t.shape()[i]);
    }
    return bytes;
  }

  std::uint64_t bytes_ = 0;
  InlineVector<const Buffer*, 4> buffers_;
};

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

  MemoryInfo memory() const override {
    MemoryInfo info = allocator_->info();
    info.moved_bytes = moved_bytes_.load(std::memory_order_relaxed);
    return info;
  }
  void reset_peak_memory() override { allocator_->reset_peak(); }
  void clear_cache() override { allocator_->clear_cache(); }

  bool native(OpId id) const override { return id == OpId::Fused || kernels_.find(id) != nullptr; }
  bool takes(const OpRef& op, std::span<const TensorPtr> /*inputs*/) const override {
    return op.id() == OpId::Fused ? can_run(kernels_, *op.as<Fused>().program) : native(op.id());
  }

  void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
           std::span<TensorPtr> outputs) override {
    const std::shared_ptr<ThreadPool> pool = this->pool();
    Context ctx{*pool, allocator_};
    Traffic traffic(inputs);
    if (op.id() == OpId::Fused) {
      run_fused(ctx, kernels_, *op.as<Fused>().program, inputs, specs, outputs);
    } else {
      outputs[0] = kernels_.find(op.id())(ctx, op.get(), inputs, specs[0]);
    }
    moved_bytes_.fetch_add(traffic.bytes(op.info(), outputs), std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<ThreadPool> pool() const {
    const std::lock_guard lock(pool_mutex_);
    return pool_;
  }

  mutable std::mutex pool_mutex_;
  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<Allocator> allocator_ = std::make_shared<Allocator>();
  std::atomic<std::uint64_t> moved_bytes_{0};
  const KernelRegistry& kernels_;
};

}  // namespace

BackendPtr make_cpu_backend(const BackendOptions& options) {
  return std::make_shared<CpuBackend>(options);
}

}  // namespace tessera::cpu

// The mlx backend: MLX's lazy graph under the contract. run() appends to it, flush() and read()
// evaluate it.
#include "tessera/backends/mlx/internal/backend.h"

#include <mlx/memory.h>
#include <mlx/stream.h>
#include <mlx/transforms.h>
#include <mlx/version.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "tessera/backends/mlx/internal/kernel.h"
#include "tessera/core/internal/fail.h"

namespace tessera::mlx_backend {

std::recursive_mutex& mlx_mutex() {
  static auto* mutex = new std::recursive_mutex;  // tensors may be freed while the process ends
  return *mutex;
}

namespace {

const KernelTable& kernels() {
  static const KernelTable table = [] {
    KernelTable t;
    add_elementwise(t);
    add_fused(t);
    add_index(t);
    add_linear(t);
    add_quantized(t);
    add_reductions(t);
    add_scans(t);
    add_shape(t);
    add_transforms(t);
    return t;
  }();
  return table;
}

// What MLX throws, as an Error. Its messages say which of its functions refused.
template <class Fn>
decltype(auto) as_errors(std::string_view where, Fn&& fn) {
  try {
    return fn();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::out_of_memory, std::string(where), "MLX: the system refused memory");
  } catch (const std::invalid_argument& e) {
    fail(ErrorCode::invalid_argument, std::string(where), "MLX: {}", e.what());
  } catch (const std::exception& e) {
    fail(ErrorCode::internal, std::string(where), "MLX: {}", e.what());
  }
}

template <class Fn>
decltype(auto) locked(std::string_view where, Fn&& fn) {
  const std::lock_guard lock(mlx_mutex());
  return as_errors(where, fn);
}

mx::Device device_of(const std::string& name) {
  if (name == "cpu") return mx::Device(mx::Device::cpu);
  if (name == "gpu") return mx::Device(mx::Device::gpu);
  if (!name.empty()) {
    fail(ErrorCode::invalid_argument, "mlx", "device \"{}\" is not \"gpu\" or \"cpu\"", name);
  }
  const mx::Device gpu(mx::Device::gpu);
  return mx::is_available(gpu) ? gpu : mx::Device(mx::Device::cpu);
}

class MlxBackend final : public Backend {
 public:
  explicit MlxBackend(const BackendOptions& options, std::string library)
      : library_(std::move(library)), stream_(make_stream(options)) {}

  ~MlxBackend() override {
    const std::lock_guard lock(mlx_mutex());
    pending_.clear();
    checks_.clear();
  }

  std::string_view name() const override { return "mlx"; }

  BackendInfo info() const override {
    const std::string device = on_cpu() ? "MLX on the host processor" : "MLX on the GPU";
    return {
        "mlx",
        device,
        {{"version", mx::version()}, {"library", library_}, {"device", on_cpu() ? "cpu" : "gpu"}}};
  }

  Dtype default_dtype() const override { return on_cpu() ? float32 : float16; }

  bool chosen_by_auto() const override { return !on_cpu(); }

  TensorPtr from_host(HostTensor host) override {
    return locked("from_host", [&] { return wrap(adopt(std::move(host))); });
  }

  std::future<HostTensor> read(TensorPtr tensor) override {
    // Evaluated when somebody waits: the device works meanwhile if flush() came before.
    return std::async(std::launch::deferred, [self = shared_from_this(), this, tensor] {
      return locked("read", [&] { return copy_out(as_mlx(tensor)); });
    });
  }

  void flush() override {
    locked("mlx", [&] {
      std::vector<mx::array> outputs;
      for (const std::weak_ptr<MlxTensor>& weak : pending_) {
        const std::shared_ptr<MlxTensor> tensor = weak.lock();
        if (tensor && tensor->value().status() == mx::array::unscheduled) {
          outputs.push_back(tensor->value());
        }
      }
      pending_.clear();
      if (checks_.empty()) {
        if (!outputs.empty()) mx::async_eval(std::move(outputs));
      } else {
        settle(std::move(outputs));
      }
    });
  }

  void synchronize() override {
    flush();
    locked("mlx", [&] { mx::synchronize(stream_); });
  }

  MemoryInfo memory() const override {
    const std::uint64_t active = mx::get_active_memory();
    return {active, std::max<std::uint64_t>(active, mx::get_peak_memory()), mx::get_cache_memory(),
            *live_};
  }
  void reset_peak_memory() override { mx::reset_peak_memory(); }
  void clear_cache() override {
    locked("mlx", [] { mx::clear_cache(); });
  }

  bool native(OpId id) const override { return kernels().find(id).kernel != nullptr; }
  bool takes(const OpRef& op, std::span<const TensorPtr> inputs) const override {
    const KernelTable::Entry& entry = kernels().find(op.id());
    return entry.kernel && (!entry.takes || entry.takes(op.get(), inputs, on_cpu()));
  }

  void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
           std::span<TensorPtr> outputs) override {
    locked(op.name(), [&] {
      Call call{{}, inputs, specs[0], stream_, checks_};
      call.in.reserve(inputs.size());
      for (const TensorPtr& t : inputs) call.in.push_back(as_mlx(t).value());
      mx::array out = num_elements(specs[0].shape) == 0
                          ? empty(specs[0].shape, specs[0].dtype)
                          : kernels().find(op.id()).kernel(call, op.get());
      if (from_mlx(out.shape()) != specs[0].shape || from_mlx(out.dtype()) != specs[0].dtype) {
        fail(ErrorCode::internal, std::string(op.name()), "MLX gave {} {} instead of {} {}",
             to_string(from_mlx(out.dtype())), to_string(from_mlx(out.shape())),
             to_string(specs[0].dtype), to_string(specs[0].shape));
      }
      auto tensor = wrap(std::move(out));
      pending_.push_back(tensor);
      if (pending_.size() >= most_pending_) forget_dead();
      outputs[0] = std::move(tensor);
    });
  }

 private:
  static mx::Stream make_stream(const BackendOptions& options) {
    return as_errors("mlx", [&] {
      const mx::Device device = device_of(options.device);
      if (!mx::is_available(device)) {
        fail(ErrorCode::not_found, "mlx", "this MLX has no device \"{}\"", options.device);
      }
      // One stream that any thread may use, one at a time: MLX's own belong to threads.
      return mx::new_thread_unsafe_stream(device);
    });
  }

  bool on_cpu() const { return stream_.device == mx::Device::cpu; }

  std::shared_ptr<MlxTensor> wrap(mx::array value) const {
    TensorSpec spec{from_mlx(value.shape()), from_mlx(value.dtype())};
    return std::make_shared<MlxTensor>(std::move(spec), std::move(value), live_);
  }

  // The host's bytes as an array: without a copy where MLX can use host memory.
  mx::array adopt(HostTensor host) const {
    if (host.size() == 0) return empty(host.shape(), host.dtype());
    auto owner = std::make_unique<HostTensor>(std::move(host));
    const HostTensor& kept = *owner;
    const mx::Shape shape = to_mlx(kept.shape());
    return mx::array(const_cast<std::byte*>(kept.data()), shape, to_mlx(kept.dtype()),
                     [raw = owner.release()](void*) { delete raw; });
  }

  mx::array empty(const Shape& shape, Dtype dtype) const {
    return mx::zeros(to_mlx(shape), to_mlx(dtype), stream_);
  }

  HostTensor copy_out(const MlxTensor& tensor) {
    HostTensor host(tensor.shape(), tensor.dtype());
    if (host.size() == 0) return host;
    const mx::array dense = mx::contiguous(tensor.value(), false, stream_);
    settle({dense});
    std::memcpy(host.mutable_data(), dense.data<char>(), host.nbytes());
    return host;
  }

  // Evaluates, waits, and looks at the indices that ops so far were given.
  void settle(std::vector<mx::array> outputs) {
    const std::vector<PendingCheck> checks = std::exchange(checks_, {});
    for (const PendingCheck& check : checks) outputs.push_back(check.extremes);
    mx::eval(std::move(outputs));
    for (const PendingCheck& check : checks) check.verify();
  }

  void forget_dead() {
    std::erase_if(pending_, [](const std::weak_ptr<MlxTensor>& t) { return t.expired(); });
    most_pending_ = std::max<std::size_t>(4096, 2 * pending_.size());
  }

  std::string library_;
  mx::Stream stream_;
  std::shared_ptr<std::atomic<std::uint64_t>> live_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::vector<std::weak_ptr<MlxTensor>> pending_;
  std::size_t most_pending_ = 4096;  // a loop that never flushes keeps no list of dead handles
  std::vector<PendingCheck> checks_;
};

}  // namespace

BackendPtr make_mlx_backend(const BackendOptions& options, const std::string& library) {
  return std::make_shared<MlxBackend>(options, library);
}

}  // namespace tessera::mlx_backend

// The contract: what a machine must be able to do so that everything above runs on it.
//
// A backend owns tensors and runs ops on them. Required ops (ops/ops.def) need a kernel; an
// optional op without one is lowered to simpler ops before it gets here. The conformance suite
// (backend/conformance) proves an implementation.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/host_tensor.h"
#include "tessera/ir/op.h"
#include "tessera/ir/tensor.h"

namespace tessera {

/// Bytes and counts at this moment. peak_bytes is since reset_peak_memory().
struct MemoryInfo {
  std::uint64_t active_bytes = 0;  ///< held by live tensors; adopted host memory is not counted
  std::uint64_t peak_bytes = 0;
  std::uint64_t cache_bytes = 0;  ///< freed, kept for the next allocation
  std::uint64_t live_tensors = 0;
  /// Read and written by ops since the backend was made, every input and output of an op once; 0
  /// where nobody counts.
  std::uint64_t moved_bytes = 0;
};

/// What `tessera info` prints: name of the device and facts in order ("isa" -> "avx2").
struct BackendInfo {
  std::string name;
  std::string device;
  std::vector<std::pair<std::string, std::string>> facts;
};

/// How an instance is made.
struct BackendOptions {
  /// Host threads the backend may use in all; 0 takes every processor the process may run on.
  int threads = 0;
  /// Which device of several: "gpu" or "cpu" for mlx; empty takes the backend's own choice.
  std::string device = {};
  /// The runtime to load, file or folder, for backends that load one; nothing else is tried then.
  std::string library_path = {};
};

/// Its virtual functions cross the border to modules: a change raises kModuleAbi (module.h).
class Backend : public std::enable_shared_from_this<Backend> {
 public:
  virtual ~Backend() = default;

  /// "cpu", "cuda", "webgpu", "mlx" or a plugin's own.
  virtual std::string_view name() const = 0;
  virtual BackendInfo info() const = 0;
  /// What models compute in unless they are told: float32, or float16 on a GPU.
  virtual Dtype default_dtype() const { return float32; }
  /// Whether "auto" may choose it. An accelerator's runtime on the host's processor says no: the
  /// cpu backend is faster.
  virtual bool chosen_by_auto() const { return true; }

  // --- Transfer and lifetime ---
  /// A tensor of the host bytes. May adopt them (the tensor then keeps `host` alive) or copy them
  /// later; either way the caller may drop its reference at once.   errors  out_of_memory
  virtual TensorPtr from_host(HostTensor host) = 0;
  /// The value in row-major order, once all work it depends on has run.
  /// errors  arrive through the future
  virtual std::future<HostTensor> read(TensorPtr tensor) = 0;
  /// Hands queued work to the device without waiting.
  virtual void flush() {}
  /// Returns when all work handed over so far is done.   errors  those of asynchronous work
  virtual void synchronize() {}

  /// How many host threads it may use in all; 0 takes every usable processor.
  virtual void set_num_threads(int /*threads*/) {}

  virtual MemoryInfo memory() const = 0;
  virtual void reset_peak_memory() = 0;
  /// Gives cached memory back to the system.
  virtual void clear_cache() = 0;

  // --- Ops ---
  /// Whether there is a kernel for the op.
  virtual bool native(OpId id) const = 0;
  /// Whether that kernel takes this very op, with its attributes and inputs. An optional op that it
  /// does not take is lowered; required ops must be taken as they come.
  virtual bool takes(const OpRef& op, std::span<const TensorPtr> /*inputs*/) const {
    return native(op.id());
  }
  /// Runs (or enqueues) one op for which takes() holds.
  /// inputs   moved in: a tensor nobody else needs arrives as its only reference, and its memory
  /// may
  ///          become the output's. The op's rule has checked shapes and dtypes.
  /// specs    what the outputs must be
  /// outputs  as many as specs, to be filled
  virtual void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
                   std::span<TensorPtr> outputs) = 0;
};

}  // namespace tessera

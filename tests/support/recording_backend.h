// A backend that does what the cpu backend does, writes down which ops it ran, and can be told to
// lack kernels.
#pragma once

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tessera/backend/registry.h"
#include "tessera/ops/op_ids.h"

namespace tessera::testing {

class RecordingBackend final : public Backend {
 public:
  explicit RecordingBackend(std::string name = "recording") : name_(std::move(name)) {}

  std::vector<std::string> ran() const {
    const std::lock_guard lock(mutex_);
    return ran_;
  }
  std::int64_t count(const std::string& op) const {
    const std::lock_guard lock(mutex_);
    return std::count(ran_.begin(), ran_.end(), op);
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    ran_.clear();
  }
  template <class Op>
  void lack() {
    lacking_.insert(op_id<Op>);
  }

  std::string_view name() const override { return name_; }
  BackendInfo info() const override { return cpu_->info(); }
  TensorPtr from_host(HostTensor host) override { return cpu_->from_host(std::move(host)); }
  std::future<HostTensor> read(TensorPtr tensor) override { return cpu_->read(std::move(tensor)); }
  MemoryInfo memory() const override { return cpu_->memory(); }
  void reset_peak_memory() override { cpu_->reset_peak_memory(); }
  void clear_cache() override { cpu_->clear_cache(); }
  bool native(OpId id) const override { return !lacking_.contains(id) && cpu_->native(id); }
  void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
           std::span<TensorPtr> outputs) override {
    {
      const std::lock_guard lock(mutex_);
      ran_.emplace_back(op.name());
    }
    cpu_->run(op, inputs, specs, outputs);
  }

 private:
  std::string name_;
  BackendPtr cpu_ = make_backend("cpu", {.threads = 1});
  mutable std::mutex mutex_;
  std::vector<std::string> ran_;
  std::set<OpId> lacking_;
};

}  // namespace tessera::testing

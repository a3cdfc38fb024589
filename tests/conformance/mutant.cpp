#include "tests/conformance/mutant.h"

#include <cstring>

#include "tessera/backend/registry.h"

namespace tessera::testing {

namespace {

template <class T>
void change_as(HostTensor& t, const std::function<float(float)>& change) {
  T* values = reinterpret_cast<T*>(t.mutable_data());
  for (std::int64_t i = 0; i < t.size(); ++i) {
    values[i] = static_cast<T>(change(static_cast<float>(values[i])));
  }
}

HostTensor copy_of(const HostTensor& t) {
  HostTensor out(t.shape(), t.dtype());
  std::memcpy(out.mutable_data(), t.data(), t.nbytes());
  return out;
}

class MutantBackend final : public Backend {
 public:
  MutantBackend(BackendPtr sound, Mutant mutant)
      : sound_(std::move(sound)), mutant_(std::move(mutant)) {}

  std::string_view name() const override { return sound_->name(); }
  BackendInfo info() const override { return sound_->info(); }
  TensorPtr from_host(HostTensor host) override {
    if (mutant_.from_host) return mutant_.from_host(*sound_, std::move(host));
    return sound_->from_host(std::move(host));
  }
  std::future<HostTensor> read(TensorPtr tensor) override {
    if (!mutant_.read) return sound_->read(std::move(tensor));
    std::promise<HostTensor> changed;
    changed.set_value(mutant_.read(copy_of(sound_->read(std::move(tensor)).get())));
    return changed.get_future();
  }
  void flush() override { sound_->flush(); }
  void synchronize() override { sound_->synchronize(); }
  MemoryInfo memory() const override {
    return mutant_.memory ? mutant_.memory(sound_->memory()) : sound_->memory();
  }
  void reset_peak_memory() override {
    if (!mutant_.ignores_reset_peak) sound_->reset_peak_memory();
  }
  void clear_cache() override {
    if (!mutant_.ignores_clear_cache) sound_->clear_cache();
  }
  bool native(OpId id) const override { return sound_->native(id); }
  void run(const OpRef& op, std::span<TensorPtr> inputs, std::span<const TensorSpec> specs,
           std::span<TensorPtr> outputs) override {
    Call call(*sound_, op, inputs, specs, outputs);
    if (mutant_.run && op.id() == mutant_.op)
      mutant_.run(call);
    else
      call.run();
  }

 private:
  BackendPtr sound_;
  Mutant mutant_;
};

}  // namespace

void Call::change_floats(TensorPtr& tensor, const std::function<float(float)>& change) {
  HostTensor host = copy_of(read(tensor));
  if (host.dtype() == float32)
    change_as<float>(host, change);
  else if (host.dtype() == float16)
    change_as<float16_t>(host, change);
  else if (host.dtype() == bfloat16)
    change_as<bfloat16_t>(host, change);
  else
    return;
  tensor = make(std::move(host));
}

void Call::change_inputs(const std::function<float(float)>& change) {
  for (TensorPtr& input : inputs_) change_floats(input, change);
}

void Call::clear_output(std::int64_t begin, std::int64_t end) {
  HostTensor host = copy_of(read(output()));
  const std::size_t width = host.dtype().size();
  if (begin < end) {
    std::memset(host.mutable_data() + static_cast<std::size_t>(begin) * width, 0,
                static_cast<std::size_t>(end - begin) * width);
  }
  output() = make(std::move(host));
}

BackendPtr make_mutant(const Mutant& mutant) {
  return std::make_shared<MutantBackend>(make_backend("cpu"), mutant);
}

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  for (auto&& part : {elementwise_mutants(), reduction_mutants(), shape_mutants(), fused_mutants(),
                      contract_mutants(), backend_mutants()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace tessera::testing

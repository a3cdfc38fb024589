// A backend with one deliberate fault: how the conformance suite itself is tested.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tessera/backend/backend.h"
#include "tessera/core/host_tensor.h"
#include "tessera/ir/node.h"
#include "tessera/ops/op_ids.h"

namespace tessera::testing {

/// One op on its way to the sound backend, for a fault to tamper with.
class Call {
 public:
  Call(Backend& sound, const OpRef& op, std::span<TensorPtr> inputs,
       std::span<const TensorSpec> specs, std::span<TensorPtr> outputs)
      : sound_(sound), op_(op), inputs_(inputs), specs_(specs), outputs_(outputs) {}

  template <OpStruct Op>
  const Op& op() const {
    return op_.as<Op>();
  }
  std::span<TensorPtr> inputs() { return inputs_; }
  const TensorSpec& spec() const { return specs_[0]; }
  TensorPtr& output() { return outputs_[0]; }

  /// Runs the op as it is.
  void run() { sound_.run(op_, inputs_, specs_, outputs_); }
  /// Runs another op, or the same with other attributes, in its place.
  template <OpStruct Op>
  void run_as(const Op& other) {
    sound_.run(OpRef(op_info<Op>(), &other), inputs_, specs_, outputs_);
  }

  HostTensor read(const TensorPtr& tensor) { return sound_.read(tensor).get(); }
  TensorPtr make(HostTensor host) { return sound_.from_host(std::move(host)); }

  /// Puts change(value) in the place of each element of a float tensor; others stay.
  void change_floats(TensorPtr& tensor, const std::function<float(float)>& change);
  /// change_floats of every floating input.
  void change_inputs(const std::function<float(float)>& change);
  /// Sets elements [begin, end) of the flat output to zero bits.
  void clear_output(std::int64_t begin, std::int64_t end);

 private:
  Backend& sound_;
  OpRef op_;
  std::span<TensorPtr> inputs_;
  std::span<const TensorSpec> specs_;
  std::span<TensorPtr> outputs_;
};

/// A fault in one op, or in the backend's own functions.
struct Mutant {
  std::string name;   ///< "softmax does not subtract the maximum"
  std::string group;  ///< the suite's group most likely to notice, run first
  OpId op = {};
  std::function<void(Call&)> run = {};                            ///< in place of the op
  std::function<MemoryInfo(MemoryInfo)> memory = {};              ///< falsifies the figures
  std::function<TensorPtr(Backend&, HostTensor)> from_host = {};  ///< in place of from_host
  std::function<HostTensor(HostTensor)> read = {};                ///< falsifies what is read
  bool ignores_clear_cache = false;
  bool ignores_reset_peak = false;
};

/// A fault in one op; `group` only where it is not named as the op is.
template <OpStruct Op>
Mutant wrong(std::string name, std::function<void(Call&)> run, std::string group = Op::kName) {
  return {
      .name = std::move(name), .group = std::move(group), .op = op_id<Op>, .run = std::move(run)};
}

/// The op run with an attribute changed.
template <OpStruct Op>
Mutant wrong_attribute(std::string name, void (*change)(Op&), std::string group = Op::kName) {
  return wrong<Op>(
      std::move(name),
      [change](Call& c) {
        Op op = c.op<Op>();
        change(op);
        c.run_as(op);
      },
      std::move(group));
}

/// A cpu backend of its own with the fault in it.
BackendPtr make_mutant(const Mutant& mutant);

/// All faults, in the order of the table in docs/conformance.md.
std::vector<Mutant> mutants();
std::vector<Mutant> elementwise_mutants();
std::vector<Mutant> reduction_mutants();
std::vector<Mutant> shape_mutants();
std::vector<Mutant> fused_mutants();
std::vector<Mutant> contract_mutants();
std::vector<Mutant> backend_mutants();

}  // namespace tessera::testing

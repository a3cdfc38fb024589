// Optimizer: from gradients to new parameters, with a state that can be saved.
//
//   optimizers::AdamW optimizer(1e-3);
//   for (...) {
//     auto [loss, grads] = loss_and_grad(inputs);
//     optimizer.update(model, grads);
//     eval(model.parameters(), optimizer.state());   // keeps the graph one step long
//   }
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "tessera/nn/module.h"
#include "tessera/nn/optimizers/schedulers.h"

namespace tessera::optimizers {

using nn::Parameters;

/// A number, or one that changes from step to step.
class LearningRate {
 public:
  LearningRate(double value) : value_(value) {}  // NOLINT: optimisers take either
  LearningRate(Schedule schedule) : schedule_(std::move(schedule)) {}  // NOLINT: likewise
  template <class F>
  requires std::is_invocable_r_v<array, F, const array&> LearningRate(F schedule)  // NOLINT
      : schedule_(std::move(schedule)) {}

  array at(const array& step) const;
  const Schedule& schedule() const { return schedule_; }

 private:
  double value_ = 0;
  Schedule schedule_;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Replaces the parameters that have a gradient.   errors  not_found, shape_mismatch
  void update(nn::Module& model, const Parameters& gradients);
  /// The new values of the parameters that have a gradient; `parameters` may hold more.
  /// Parameters met for the first time begin with the state that init gives them.
  virtual Parameters apply_gradients(const Parameters& gradients, const Parameters& parameters);
  /// Makes the state of parameters that have none yet, so that it can be seen before a step.
  virtual void init(const Parameters& parameters);

  /// "step" (uint64), "learning_rate" and, for a parameter "up.weight", "up.weight.v" and so on.
  virtual Parameters state() const;
  /// Continues from another's state: the next steps are, bit for bit, what its would have been.
  /// errors  not_found without "step"; invalid_argument for a name without a dot
  virtual void set_state(const Parameters& state);
  /// As one safetensors file.   errors  those of load_safetensors, save_safetensors, set_state
  void save_state(const std::filesystem::path& file) const;
  void load_state(const std::filesystem::path& file);

  /// Steps taken, a uint64 scalar.
  const array& step() const { return step_; }
  /// float32 scalar: what the last step used.
  virtual array learning_rate() const { return learning_rate_; }
  virtual void set_learning_rate(LearningRate rate);

 protected:
  /// What is kept for one parameter, by name ("m", "v").
  using Slots = std::map<std::string, array, std::less<>>;

  explicit Optimizer(LearningRate rate);
  virtual void init_single(const array& parameter, Slots& slots) const = 0;
  virtual array apply_single(const array& gradient, const array& parameter, Slots& slots) const = 0;
  /// The learning rate in a gradient's dtype.
  array rate(Dtype dtype) const;

 private:
  LearningRate rate_;
  array step_;
  array learning_rate_;
  std::map<std::string, Slots, std::less<>> slots_;
};

/// Scales the gradients so that the norm of all of them together is at most max_norm.
/// returns  the gradients, each in its dtype, and the norm before (squares of float16 add in
///          float32, of others in their dtype)   errors  invalid_argument for max_norm < 0
std::pair<Parameters, array> clip_grad_norm(const Parameters& gradients, double max_norm);

}  // namespace tessera::optimizers

#include "tessera/nn/optimizers/optimizer.h"

#include "tessera/core/internal/fail.h"
#include "tessera/io/safetensors.h"
#include "tessera/ops/binary.h"
#include "tessera/ops/creation.h"
#include "tessera/ops/reduce.h"
#include "tessera/ops/unary.h"

namespace tessera::optimizers {

namespace {

constexpr const char* kStep = "step";
constexpr const char* kLearningRate = "learning_rate";

// On the host while the count is known, so that no graph grows from step to step; in the graph when
// it is itself an input of one.
array next(const array& step) {
  if (step.is_available()) return array(step.item<std::uint64_t>() + 1);
  return step + 1;
}

}  // namespace

array LearningRate::at(const array& step) const {
  return schedule_ ? schedule_(step) : array(static_cast<float>(value_));
}

Optimizer::Optimizer(LearningRate rate)
    : rate_(std::move(rate)), step_(std::uint64_t{0}), learning_rate_(rate_.at(step_)) {}

void Optimizer::set_learning_rate(LearningRate rate) {
  rate_ = std::move(rate);
  learning_rate_ = rate_.at(step_);
}

array Optimizer::rate(Dtype dtype) const {
  return astype(learning_rate_, dtype);
}

void Optimizer::init(const Parameters& parameters) {
  for (const auto& [name, parameter] : parameters) {
    const auto [slots, fresh] = slots_.try_emplace(name);
    if (fresh) init_single(parameter, slots->second);
  }
}

Parameters Optimizer::apply_gradients(const Parameters& gradients, const Parameters& parameters) {
  for (const auto& [name, gradient] : gradients) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
      fail(ErrorCode::not_found, "Optimizer", "a gradient for \"{}\", which is no parameter", name);
    }
    if (found->second.shape() != gradient.shape()) {
      fail(ErrorCode::shape_mismatch, "Optimizer", "\"{}\" is {}, its gradient {}", name,
           to_string(found->second.shape()), to_string(gradient.shape()));
    }
  }
  init(gradients);
  if (rate_.schedule()) learning_rate_ = rate_.at(step_);
  step_ = next(step_);
  Parameters out;
  for (const auto& [name, gradient] : gradients) {
    Slots& slots = slots_.find(name)->second;
    out.emplace(name, apply_single(gradient, parameters.find(name)->second, slots));
  }
  return out;
}

void Optimizer::update(nn::Module& model, const Parameters& gradients) {
  model.update(apply_gradients(gradients, model.parameters()));
}

Parameters Optimizer::state() const {
  Parameters out{{kStep, step_}, {kLearningRate, learning_rate_}};
  for (const auto& [name, slots] : slots_) {
    for (const auto& [slot, value] : slots) out.emplace(name + "." + slot, value);
  }
  return out;
}

void Optimizer::set_state(const Parameters& state) {
  const auto step = state.find(kStep);
  if (step == state.end()) fail(ErrorCode::not_found, "Optimizer", "the state has no \"step\"");
  std::map<std::string, Slots, std::less<>> slots;
  for (const auto& [name, value] : state) {
    if (name == kStep || name == kLearningRate) continue;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
      fail(ErrorCode::invalid_argument, "Optimizer",
           "the state's \"{}\" is not \"<parameter>.<name>\"", name);
    }
    slots[name.substr(0, dot)].insert_or_assign(name.substr(dot + 1), value);
  }
  slots_ = std::move(slots);
  step_ = astype(step->second, uint64);
  step_.eval();
  const auto rate = state.find(kLearningRate);
  if (rate != state.end()) learning_rate_ = rate->second;
}

void Optimizer::save_state(const std::filesystem::path& file) const {
  const Parameters all = state();
  eval(all);
  std::map<std::string, HostTensor, std::less<>> tensors;
  for (const auto& [name, value] : all) tensors.emplace(name, value.to_host());
  save_safetensors(file, tensors);
}

void Optimizer::load_state(const std::filesystem::path& file) {
  Parameters state;
  for (const auto& [name, tensor] : load_safetensors(file).tensors) {
    state.emplace(name, array(tensor.data));
  }
  set_state(state);
}

std::pair<Parameters, array> clip_grad_norm(const Parameters& gradients, double max_norm) {
  if (!(max_norm >= 0)) {
    fail(ErrorCode::invalid_argument, "clip_grad_norm", "max_norm {} < 0", max_norm);
  }
  array squares(0.0f);
  for (const auto& [name, g] : gradients) {
    squares = squares + sum(square(g.dtype() == float16 ? astype(g, float32) : g));
  }
  const array norm = sqrt(squares);
  const array factor = minimum(max_norm / (norm + 1e-6), array(1.0f));
  Parameters clipped;
  for (const auto& [name, g] : gradients) {
    clipped.emplace(name, astype(g * factor, is_floating(g.dtype()) ? g.dtype() : float32));
  }
  return {std::move(clipped), norm};
}

}  // namespace tessera::optimizers
